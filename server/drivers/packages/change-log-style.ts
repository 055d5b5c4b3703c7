/** Defines style and policy of a change log. Separate from the renderer, which is loaded only if a change log is rendered. */
import { createHash } from 'node:crypto'

/** Follows the colours of the reader's system, because the surrounding page may be light or dark. */
export const changeLogStyle =
  ':root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;margin:1rem;overflow-wrap:anywhere}' +
  'pre{overflow-x:auto}table{border-collapse:collapse}td,th{border:1px solid;padding:.25rem .5rem}'

/** Policy of a served change log: only its own style is allowed. Links open in new tabs. */
export const changeLogPolicy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(changeLogStyle).digest('base64')}'; base-uri 'none'; frame-ancestors 'self'; sandbox allow-popups allow-popups-to-escape-sandbox`
