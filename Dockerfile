# The command line in a container: `docker build --tag sluice .`, then see compose.yaml and docs/deploy/packages.md.
FROM node:24.21.0-bookworm-slim AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
# Nothing runs at install: Electron's binary is not needed, and would be downloaded.
RUN npm ci --ignore-scripts
COPY . .
RUN npm run pack -- --headless --layout=/layout && mkdir --parents --mode=700 /volume/data

# Nothing is installed into it: the command line brings its own Node.
FROM debian:bookworm-slim
LABEL org.opencontainers.image.title="sluice" \
      org.opencontainers.image.description="Uploads images and videos exactly once, and brings the results back" \
      org.opencontainers.image.licenses="MIT"
COPY --from=build /layout /usr
# The one place that is written to: the ledger, the logs, and what Node compiled.
COPY --from=build --chown=65532:65532 /volume /
# As in the packages, one part of memory for all threads (build/packages/linux/sluice.sh).
ENV SLUICE_DATA_DIR=/data \
    XDG_CACHE_HOME=/data/cache \
    MALLOC_ARENA_MAX=1
USER 65532:65532
WORKDIR /data
VOLUME /data
HEALTHCHECK --interval=1m --timeout=10s --start-period=30s --retries=3 \
    CMD ["/usr/lib/sluice/node", "/usr/lib/sluice/sluice.js", "status", "--json", "--quiet"]
ENTRYPOINT ["/usr/lib/sluice/node", "/usr/lib/sluice/sluice.js"]
CMD ["help"]
