/** When the page has drawn what it was asked for, or after a second at the latest. Safari knows no idle time. */
export const whenIdle = (): Promise<void> =>
  new Promise((resolve) => {
    if ('requestIdleCallback' in globalThis) requestIdleCallback(() => resolve(), { timeout: 1_000 })
    else setTimeout(resolve, 300)
  })

let stand = () => {}
const stands = new Promise<void>((resolve) => (stand = resolve))

/** The first page of the visit stands, with its rows or without: what comes now and then may come. */
export const firstPageStands = () => stand()

/** For what no first page waits for, nor its rows. */
export const whenSettled = (): Promise<void> => stands.then(whenIdle)
