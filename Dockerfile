# One image for every process; the command says which. There is no build step: Node runs the source.
FROM node:24-slim

ENV NODE_ENV=production
# npm would otherwise run the step before each script that installs dependencies on a fresh clone, development ones too.
ENV npm_config_ignore_scripts=true npm_config_update_notifier=false

WORKDIR /app

COPY package.json package-lock.json ./
RUN npm ci --omit=dev && npm cache clean --force

# The configuration file is optional; the pattern is what makes it so.
COPY package.json bobbin.config.t[s] ./
COPY src ./src

# The data of a single process goes here; with DATABASE_URL set nothing is written.
RUN mkdir /data && chown node:node /data
ENV DATA_DIR=/data HOST=0.0.0.0 PORT=3000
VOLUME /data

USER node
EXPOSE 3000

HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD node -e "fetch('http://127.0.0.1:' + process.env.PORT + '/healthz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"

CMD ["npm", "start"]
