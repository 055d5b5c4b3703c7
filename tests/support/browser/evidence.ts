/** What stood on the screen when a browser test failed: of a run elsewhere nothing is left but its log. */
import type { Browser, Page } from 'playwright-core'

const maxText = 600
const patienceMs = 5_000

/** Each open page: its address, its text, what its console said and which of its files did not come. */
export async function tellScreens(browser: Browser, test: string): Promise<void> {
  const pages = browser.contexts().flatMap((context) => context.pages())
  const told = await Promise.all(pages.map(tellPage))
  console.log([`as "${test}" failed:`, ...told].join('\n'))
}

async function tellPage(page: Page): Promise<string> {
  const [screen, said, thrown, requests] = await Promise.all([
    within(page.evaluate(look, maxText)),
    within(page.consoleMessages()),
    within(page.pageErrors()),
    within(page.requests()),
  ])
  const lost = requests?.filter((request) => request.failure())
  return [
    `  ${page.url()}: ${screen ?? 'does not answer'}`,
    ...(said ?? []).map((message) => `  console ${message.type()}: ${message.text()}`),
    ...(thrown ?? []).map((error) => `  thrown: ${error.message}`),
    ...(lost ?? []).map((request) => `  not fetched: ${request.url()} ${request.failure()?.errorText ?? ''}`),
  ].join('\n')
}

const look = (most: number) =>
  JSON.stringify({
    online: navigator.onLine,
    worker: navigator.serviceWorker?.controller?.state ?? null,
    ready: document.readyState,
    text: document.body.innerText.slice(0, most),
  })

/** A page that hangs is what may have failed. */
const within = async <T>(asked: Promise<T>): Promise<T | null> =>
  await Promise.race([asked.catch(() => null), new Promise<null>((resolve) => setTimeout(resolve, patienceMs, null))])
