/** When the page has drawn what it was asked for, or after a second at the latest. Safari knows no idle time. */
export const whenIdle = (): Promise<void> =>
  new Promise((resolve) => {
    if ('requestIdleCallback' in globalThis) requestIdleCallback(() => resolve(), { timeout: 1_000 })
    else setTimeout(resolve, 300)
  })
