/** Back and Forward, heard of before the router: listeners on the window are called in the order in which they came. */
export const steps: { hold: ((event: PopStateEvent) => void) | null } = { hold: null }

window.addEventListener('popstate', (event) => steps.hold?.(event))
