/** What stood on the screen when a browser test failed: of a run elsewhere nothing is left but its log. */
import type { Browser, Page } from 'playwright-core'

const maxText = 600
const timeoutMs = 5_000

/** Each open page: its address, its text, what its console said and which of its files did not come. */
export async function logScreens(browser: Browser, test: string): Promise<void> {
  const pages = browser.contexts().flatMap((context) => context.pages())
  const reports = await Promise.all(pages.map(describePage))
  console.log([`as "${test}" failed:`, ...reports].join('\n'))
}

async function describePage(page: Page): Promise<string> {
  const [screen, messages, errors, requests] = await Promise.all([
    withTimeout(page.evaluate(readScreenState, maxText)),
    withTimeout(page.consoleMessages()),
    withTimeout(page.pageErrors()),
    withTimeout(page.requests()),
  ])
  const failedRequests = requests?.filter((request) => request.failure())
  return [
    `  ${page.url()}: ${screen ?? 'does not answer'}`,
    ...(messages ?? []).map((message) => `  console ${message.type()}: ${message.text()}`),
    ...(errors ?? []).map((error) => `  thrown: ${error.message}`),
    ...(failedRequests ?? []).map((request) => `  not fetched: ${request.url()} ${request.failure()?.errorText ?? ''}`),
  ].join('\n')
}

const readScreenState = (maxLength: number) =>
  JSON.stringify({
    online: navigator.onLine,
    worker: navigator.serviceWorker?.controller?.state ?? null,
    ready: document.readyState,
    text: document.body.innerText.slice(0, maxLength),
  })

/** A page that hangs is what may have failed. */
const withTimeout = async <T>(promise: Promise<T>): Promise<T | null> =>
  await Promise.race([promise.catch(() => null), new Promise<null>((resolve) => setTimeout(resolve, timeoutMs, null))])
