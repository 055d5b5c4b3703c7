/** What the staff's pages of apps need of the network and no endpoint of the table gives: change logs, and files in pieces. */
import { getResource } from '#contract/apps.ts'
import { headers } from '#contract/headers.ts'
import { toWire } from '#contract/http-mapping.ts'
import { localProblem, readProblem } from '#contract/problem.ts'
import { problemOfForeign } from '#request/page/direct-response.ts'
import type { Packages, Result } from '#request/results.ts'
import { isFromServer } from '#request/transport/transport.ts'
import { ports } from '#app/connection/api.ts'

/** `trustDocument`: lets the page show this document in a frame (src/app/trusted-types.ts). */
export const createPackages = (trustDocument: (text: string) => void): Packages => ({
  changeLog: (id) => changeLog(id, trustDocument),
  send: async (file, options) =>
    (await import(/* chunk: staff-packages */ '#app/connection/tus-upload.ts')).sendInPieces(ports, file, options),
  forget: async (id) =>
    (await import(/* chunk: staff-packages */ '#app/connection/tus-upload.ts')).forgetUpload(ports, id),
})

/** By the browser's own way, so that the worker's cache of icons and change logs answers where it can (src/sw/media.ts). */
async function changeLog(id: string, trustDocument: (text: string) => void): Promise<Result<string>> {
  const { path } = toWire(getResource, { params: { id } })
  const answer = await fetch(path, { credentials: 'omit' }).catch(() => null)
  const text = await answer?.text().catch(() => null)
  if (!answer || text == null) return { kind: 'problem', problem: localProblem('OFFLINE') }
  if (!answer.ok && !isFromServer(answer)) return { kind: 'problem', problem: await problemOfForeign(ports, answer) }
  if (!answer.ok)
    return { kind: 'problem', problem: readProblem(answer.status, jsonIn(text), answer.headers.get(headers.requestId)) }
  // An icon, or what a hotel's network puts in between, is no change log.
  const isOurs = answer.headers.get('content-type')?.startsWith('text/html') && startsAsOurs.test(text)
  if (!isOurs) return { kind: 'problem', problem: localProblem('UNREADABLE_ANSWER') }
  const shown = inColours(text)
  trustDocument(shown)
  return { kind: 'fresh', output: shown }
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

const startsAsOurs =
  /^<!doctype html><html lang="[\w-]+"><meta charset="utf-8"><title>[^<]*<\/title><style>[^<]*<\/style>/

/**
 * A document that is handed to a frame is under the page's own policy, which lets in no style but those with the build's nonce
 * (docs/decisions/0013): the server's gives way to one in the colours of the page.
 */
function inColours(html: string): string {
  const nonce = document.querySelector('meta[name=style-nonce]')?.getAttribute('content') ?? ''
  const page = getComputedStyle(document.documentElement)
  const token = (name: string) => page.getPropertyValue(`--${name}`).trim()
  const style =
    `:root{color-scheme:${page.colorScheme || 'light'};background:${token('surface')};color:${token('text')}}` +
    `body{margin:16px;font:14px/1.5 ${token('font')};overflow-wrap:anywhere}a{color:${token('accent-text')}}` +
    'h1{font-size:20px}h2{font-size:16px}h3,h4,h5,h6{font-size:14px}body>:first-child{margin-block-start:0}' +
    `pre{overflow-x:auto}pre,code{font-family:${token('mono')};background:${token('sunken')};border-radius:4px}` +
    `pre{padding:8px}table{border-collapse:collapse}td,th{border:1px solid ${token('line')};padding:4px 8px}`
  return html.replace(/<style>[^<]*<\/style>/, () => `<style nonce="${nonce}">${style}</style>`)
}
