/** Back and Forward, heard of before the router: listeners on the window are called in the order in which they came. */
export const popstateGuard: { holdStep: ((event: PopStateEvent) => void) | null } = { holdStep: null }

window.addEventListener('popstate', (event) => popstateGuard.holdStep?.(event))
