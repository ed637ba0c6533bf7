# The command in an image: docker build -t hopscope . && docker run --rm -v "$PWD:/work" hopscope run chain.toml
FROM node:22-bookworm-slim AS node

FROM rust:1.85-slim-bookworm AS build
RUN apt-get update \
    && apt-get install -y --no-install-recommends make python3=3.11.* python3-venv=3.11.* \
    && rm -rf /var/lib/apt/lists/* \
    && rustup target add wasm32-unknown-unknown
COPY --from=node /usr/local/bin/node /usr/local/bin/node
COPY --from=node /usr/local/lib/node_modules /usr/local/lib/node_modules
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm
WORKDIR /source
COPY requirements/dev.txt requirements/dev.txt
RUN python3 -m venv /tools && /tools/bin/pip install --no-cache-dir --require-hashes -r requirements/dev.txt
COPY . .
RUN make web
RUN /tools/bin/maturin build --release --locked --interpreter /tools/bin/python --out /wheels

FROM python:3.13-slim-bookworm
RUN --mount=type=bind,from=build,source=/wheels,target=/wheels \
    pip install --no-cache-dir "$(echo /wheels/*.whl)[all]" \
    && useradd --create-home --uid 1000 hopscope
USER 1000
WORKDIR /work
ENTRYPOINT ["hopscope"]
CMD ["--help"]
