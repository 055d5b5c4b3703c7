/** Sends the requests of the staff's app pages that are not in the contract: change logs, and uploads in pieces. */
import { getResource } from '#contract/staff/apps.ts'
import { headers } from '#contract/headers.ts'
import { toHttpRequest } from '#contract/http-mapping.ts'
import { createLocalProblem, readProblem } from '#contract/problem.ts'
import { toForeignProblem } from '#request/page/direct-response.ts'
import type { AppPackages, CallResult } from '#request/call-results.ts'
import { parseJsonText } from '#request/transport/call-http.ts'
import { isFromServer } from '#request/transport/send-request.ts'
import { ports } from '#app/connection/api.ts'

/** `trustDocument` allows the page to show this document in a frame (src/app/trusted-types.ts). */
export const createPackages = (trustDocument: (text: string) => void): AppPackages => ({
  fetchChangeLog: (id) => fetchChangeLog(id, trustDocument),
  send: async (file, options) =>
    (await import(/* chunk: staff-packages */ '#app/connection/tus-upload.ts')).uploadInPieces(ports, file, options),
  forget: async (id) =>
    (await import(/* chunk: staff-packages */ '#app/connection/tus-upload.ts')).forgetUpload(ports, id),
})

/** Uses an ordinary fetch, so that the worker can serve the change log from its cache of icons and change logs (src/sw/media.ts). */
async function fetchChangeLog(id: string, trustDocument: (text: string) => void): Promise<CallResult<string>> {
  const { path } = toHttpRequest(getResource, { params: { id } })
  const response = await fetch(path, { credentials: 'omit' }).catch(() => null)
  const text = await response?.text().catch(() => null)
  if (!response || text == null) return { kind: 'problem', problem: createLocalProblem('OFFLINE') }
  if (!response.ok && !isFromServer(response))
    return { kind: 'problem', problem: await toForeignProblem(ports, response) }
  if (!response.ok)
    return {
      kind: 'problem',
      problem: readProblem(response.status, parseJsonText(text), response.headers.get(headers.requestId)),
    }
  const isChangeLog = response.headers.get('content-type')?.startsWith('text/html') && changeLogStart.test(text)
  if (!isChangeLog) return { kind: 'problem', problem: createLocalProblem('UNREADABLE_ANSWER') }
  const colouredText = applyPageColours(text)
  trustDocument(colouredText)
  return { kind: 'fresh', output: colouredText }
}

const changeLogStart =
  /^<!doctype html><html lang="[\w-]+"><meta charset="utf-8"><title>[^<]*<\/title><style>[^<]*<\/style>/

/** Inserts the page's colours into the document. A frame accepts only styles with the build's nonce (docs/decisions/0013). */
function applyPageColours(html: string): string {
  const nonce = document.querySelector('meta[name=style-nonce]')?.getAttribute('content') ?? ''
  const page = getComputedStyle(document.documentElement)
  const getToken = (name: string) => page.getPropertyValue(`--${name}`).trim()
  const style =
    `:root{color-scheme:${page.colorScheme || 'light'};background:${getToken('surface')};color:${getToken('text')}}` +
    `body{margin:16px;font:14px/1.5 ${getToken('font')};overflow-wrap:anywhere}a{color:${getToken('accent-text')}}` +
    'h1{font-size:20px}h2{font-size:16px}h3,h4,h5,h6{font-size:14px}body>:first-child{margin-block-start:0}' +
    `pre{overflow-x:auto}pre,code{font-family:${getToken('mono')};background:${getToken('sunken')};border-radius:4px}` +
    `pre{padding:8px}table{border-collapse:collapse}td,th{border:1px solid ${getToken('line')};padding:4px 8px}`
  return html.replace(/<style>[^<]*<\/style>/, () => `<style nonce="${nonce}">${style}</style>`)
}
