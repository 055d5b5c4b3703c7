/** Where in the history the router says that this is. */
export const stepAt = (state: unknown): number => (state as { idx?: number } | null)?.idx ?? 0

type Popped = Pick<PopStateEvent, 'state' | 'stopImmediatePropagation'>

/**
 * Takes every step away from `here` back before the router sees it, and says how far it went. A step of `pass` goes through;
 * taken while another is still being put back, it waits for that, or one of the two would be mistaken for the other.
 */
export function holdSteps(here: number, go: (delta: number) => void, onHeld: (delta: number) => void) {
  let passing = false
  let restoring = false
  let next: number | null = null
  function pass(delta: number): void {
    if (restoring) {
      next = delta
      return
    }
    passing = true
    go(delta)
  }
  function hold(event: Popped): void {
    if (passing) {
      passing = false
      return
    }
    event.stopImmediatePropagation()
    const delta = stepAt(event.state) - here
    if (delta !== 0) {
      restoring = true
      go(-delta)
      onHeld(delta)
      return
    }
    restoring = false
    const then = next
    next = null
    if (then !== null) pass(then)
  }
  return { pass, hold }
}
