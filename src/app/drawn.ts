/** Gives the worker the list that stands here, for the next visit to begin with (local/drawn). */
import type { Drawn } from '#local/drawn.ts'
import type { WorkerMessage } from '#request/ports.ts'
import type { Store } from '#state/store.ts'
import { whenIdle } from '#app/idle.ts'
import { insideCodeAt } from '#app/inside-code.ts'
import { ports, workerNow } from '#app/send.ts'

const restMs = 1_000
const mostTries = 5

/** When a list has come to rest, after each change of the address, and when the page is left. */
export function keepDrawn(store: Store): void {
  const take = () => takeDrawn(store)
  let turn = 0
  const takeSoon = async () => {
    const mine = ++turn
    for (let tries = 0; tries < mostTries; tries++) {
      await ports.wait(restMs)
      await whenIdle()
      if (mine !== turn || take()) return
    }
  }
  document.addEventListener('visibilitychange', () => void (document.visibilityState === 'hidden' && take()))
  // Where a browser does not tell, leaving the page has to do.
  const { navigation } = window as { navigation?: EventTarget }
  navigation?.addEventListener('navigatesuccess', () => void takeSoon())
  void takeSoon()
}

/** False: nothing stands here that could be shown again, or not yet. */
function takeDrawn(store: Store): boolean {
  const { session } = store.getState()
  const worker = workerNow()
  const root = document.getElementById('root')
  if (session.is !== 'signed in' || !worker || !root || !mayShow(root)) return false
  const { lang, dataset } = document.documentElement
  const drawn: Drawn = {
    build: ports.build,
    address: location.pathname + location.search,
    language: lang,
    theme: dataset['theme'] ?? '',
    sheets: ownSheets(),
    html: plainHtml(root),
  }
  const { userId, companyId } = session.caller
  worker.postMessage({ type: 'drawn', drawn, subject: { userId, companyId } } satisfies WorkerMessage)
  return true
}

/** A list whose rows are read before the page is drawn: only there no skeleton comes between. Nothing under way or open. */
const mayShow = (root: HTMLElement) =>
  insideCodeAt(location.pathname.slice(import.meta.env.BASE_URL.length - 1)).ahead !== undefined &&
  root.querySelector('main tbody a') !== null &&
  root.querySelector('main [aria-busy=true], [aria-expanded=true], .drawn') === null

/** Sheets that a part of the app has put in. */
const ownSheets = () =>
  [...document.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet][data-precedence]')].map(
    ({ href, dataset }) => [new URL(href).pathname, dataset['precedence'] ?? ''] as const,
  )

/** Without what the policy of the page refuses in a text, what is not there the next time, and what nobody sees of it. */
function plainHtml(root: HTMLElement): string {
  const copy = root.cloneNode(true) as HTMLElement
  for (const element of copy.querySelectorAll('[style]')) element.removeAttribute('style')
  for (const image of copy.querySelectorAll('img[src^="blob:"]')) image.removeAttribute('src')
  for (const gone of copy.querySelectorAll('.toasts, .hint, .sr-only')) gone.remove()
  return copy.getHTML()
}
