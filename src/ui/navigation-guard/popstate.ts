/** Back and Forward, heard of before the router: listeners on the window are called in the order in which they came. */
export const popstateGuard: { hold: ((event: PopStateEvent) => void) | null } = { hold: null }

window.addEventListener('popstate', (event) => popstateGuard.hold?.(event))
