/** When the page has drawn what it was asked for, or after a second at the latest. Safari knows no idle time. */
export const waitForIdle = (): Promise<void> =>
  new Promise((resolve) => {
    if ('requestIdleCallback' in globalThis) requestIdleCallback(() => resolve(), { timeout: 1_000 })
    else setTimeout(resolve, 300)
  })

let resolveFirstPage = () => {}
const firstPageReady = new Promise<void>((resolve) => (resolveFirstPage = resolve))

/** The first page of the visit stands, with its rows or without: what comes now and then may come. */
export const markFirstPageReady = () => resolveFirstPage()

/** For what no first page waits for, nor its rows. */
export const waitForFirstPage = (): Promise<void> => firstPageReady.then(waitForIdle)
