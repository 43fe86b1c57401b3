# docker build -t sparsecfg .
# docker run --rm -v "$PWD:/work" sparsecfg validate
FROM debian:12-slim AS build
COPY . /source
WORKDIR /source
RUN apt-get update \
 && apt-get install -y --no-install-recommends $(sed '/^# Tests/,$d; s/#.*//' packages.txt) \
 && cmake --workflow --preset release \
 && cmake --install build/release --prefix /install --strip

FROM debian:12-slim
# `diff REVISION FILE` runs git. The mounted folder belongs to another user, which git accepts only if it is listed.
RUN apt-get update && apt-get install -y --no-install-recommends git && rm -rf /var/lib/apt/lists/* \
 && git config --system --add safe.directory /work
COPY --from=build /install/bin /usr/local/bin
COPY --from=build /install/share /usr/local/share
WORKDIR /work
ENTRYPOINT ["sparsecfg"]
