/** Logs the screen of a failed browser test, because after a run on another machine only the log is available. */
import type { Browser, Page } from 'playwright-core'

const maxText = 600
const timeoutMs = 5_000

/** Logs each open page: address, text, console output and failed requests. */
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

/** Returns null if the promise fails or takes too long. A hanging page may be the cause of the test's failure. */
const withTimeout = async <T>(promise: Promise<T>): Promise<T | null> =>
  await Promise.race([promise.catch(() => null), new Promise<null>((resolve) => setTimeout(resolve, timeoutMs, null))])
