# The image of the portal. It has one program with three commands: serve, worker and migrate (docs/operating.md, "Container image").
#
#   docker build --build-arg SOURCE_DATE_EPOCH=$(git log -1 --format=%ct) --tag portal .
#
# Any image with Node 24, npm, /bin/sh and a user `node` with the number 1000 can be the base.
ARG BASE_IMAGE=node:24-trixie-slim

FROM ${BASE_IMAGE} AS build
WORKDIR /build
COPY package.json package-lock.json ./
# Without scripts, the package `node` does not download a second Node. No other package needs its script.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
# The number of the client build comes from this time, so builds of one commit are equal. The context has no .git to read it from.
ARG SOURCE_DATE_EPOCH
RUN test -n "$SOURCE_DATE_EPOCH" || { echo 'Pass --build-arg SOURCE_DATE_EPOCH=$(git log -1 --format=%ct).' >&2; exit 1; } \
  && NODE_ENV=production SOURCE_DATE_EPOCH="$SOURCE_DATE_EPOCH" node node_modules/vite/bin/vite.js build
# Collects what the server reads. Everything else of the sources, and every package that only the client or the tests use, stays in this stage.
RUN npm prune --omit=dev --ignore-scripts --no-audit --no-fund \
  && rm -rf node_modules/.bin node_modules/.cache node_modules/.package-lock.json \
  && mkdir -p /portal/src /portal/demo /portal/deploy \
  && mv node_modules server dist dist-site main.ts package.json /portal/ \
  && mv src/domain src/contract src/locales /portal/src/ \
  && mv demo/sample-instance /portal/demo/ \
  && mv deploy/*.mjs /portal/deploy/ \
  && node scripts/image-packages.mjs /portal

FROM ${BASE_IMAGE}
LABEL org.opencontainers.image.title="Service portal" \
  org.opencontainers.image.description="Customer portal of a hosted ERP service, with its API server" \
  org.opencontainers.image.licenses="UNLICENSED"
ENV NODE_ENV=production \
  HOST=0.0.0.0 \
  PORT=8080 \
  HEALTH_PORT=8081 \
  DATA_DIR=/data \
  DEMO=0 \
  SERVICE_USERS=off
WORKDIR /portal
COPY --from=build /portal ./
RUN mkdir -p /data node_modules/.cache \
  && chown node:node /data node_modules/.cache \
  && chmod 0700 /data
USER 1000:1000
# One start on an empty embedded database. It proves that the image is complete, and fills the cache of compiled code, which cannot be
# written later because the root file system is read-only.
RUN node deploy/warm-up.mjs
VOLUME /data
EXPOSE 8080 8081
# `live` and not `ready`: a container that is not ready because its database is away must not be replaced.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 CMD ["node", "deploy/healthcheck.mjs", "live"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "main.ts"]
CMD ["serve"]
