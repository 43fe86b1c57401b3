// The filter of the index of rules: shows only the rules whose row contains all typed words, and opens their families.
const place = document.getElementById("rule-filter");
if (place) {
  place.innerHTML = '<label>Filter <input type="search" placeholder="code, name or message" autocomplete="off"></label> <output></output>';
  const [input, count] = [place.querySelector("input"), place.querySelector("output")];
  input.addEventListener("input", () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const family of document.querySelectorAll("article details")) {
      let matches = 0;
      for (const row of family.querySelectorAll("tbody tr")) {
        row.hidden = !words.every((word) => row.textContent.toLowerCase().includes(word));
        matches += row.hidden ? 0 : 1;
      }
      family.open = words.length > 0 && matches > 0;
      family.hidden = matches === 0;
      shown += matches;
    }
    count.textContent = words.length > 0 ? `${shown} ${shown === 1 ? "rule" : "rules"}` : "";
  });
}
