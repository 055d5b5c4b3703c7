/** Resolves when the browser is idle, after a second at the latest. Safari has no idle callback. */
export const waitForIdle = (): Promise<void> =>
  new Promise((resolve) => {
    if ('requestIdleCallback' in globalThis) requestIdleCallback(() => resolve(), { timeout: 1_000 })
    else setTimeout(resolve, 300)
  })

let resolveFirstPage = () => {}
const firstPageReady = new Promise<void>((resolve) => (resolveFirstPage = resolve))

/** Called when the first page of the visit is rendered, with or without its rows. Code that is needed rarely may load now. */
export const markFirstPageReady = () => resolveFirstPage()

export const waitForFirstPage = (): Promise<void> => firstPageReady.then(waitForIdle)
