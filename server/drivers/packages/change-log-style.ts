/** How a change log looks, and what its document may do. Apart from what makes one, which is only loaded where one is made. */
import { createHash } from 'node:crypto'

/** In the colours of the reader's system; the page that shows it may be light or dark. */
export const changeLogStyle =
  ':root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;margin:1rem;overflow-wrap:anywhere}' +
  'pre{overflow-x:auto}table{border-collapse:collapse}td,th{border:1px solid;padding:.25rem .5rem}'

/** Of a served change log: it is shown, opens links in new tabs, and does nothing else. */
export const changeLogPolicy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(changeLogStyle).digest('base64')}'; base-uri 'none'; frame-ancestors 'self'; sandbox allow-popups allow-popups-to-escape-sandbox`
