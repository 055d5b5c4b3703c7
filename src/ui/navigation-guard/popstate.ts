/**
 * Handles Back and Forward before the router. Import this module first, because listeners of the window run in the order in which they were
 * added.
 */
export const popstateGuard: { holdStep: ((event: PopStateEvent) => void) | null } = { holdStep: null }

window.addEventListener('popstate', (event) => popstateGuard.holdStep?.(event))
