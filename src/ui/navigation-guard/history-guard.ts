/** Where in the history the router says that this is. */
export const getHistoryIndex = (state: unknown): number => (state as { idx?: number } | null)?.idx ?? 0

type PopEvent = Pick<PopStateEvent, 'state' | 'stopImmediatePropagation'>

/**
 * Takes every step away from `currentIndex` back before the router sees it, and says how far it went. A step of `passStep` goes through;
 * taken while another is still being put back, it waits for that, or one of the two would be mistaken for the other.
 */
export function guardHistory(currentIndex: number, go: (delta: number) => void, onStepHeld: (delta: number) => void) {
  let isPassing = false
  let isRestoring = false
  let nextDelta: number | null = null
  function passStep(delta: number): void {
    if (isRestoring) {
      nextDelta = delta
      return
    }
    isPassing = true
    go(delta)
  }
  function holdStep(event: PopEvent): void {
    if (isPassing) {
      isPassing = false
      return
    }
    event.stopImmediatePropagation()
    const delta = getHistoryIndex(event.state) - currentIndex
    if (delta !== 0) {
      isRestoring = true
      go(-delta)
      onStepHeld(delta)
      return
    }
    isRestoring = false
    const pendingDelta = nextDelta
    nextDelta = null
    if (pendingDelta !== null) passStep(pendingDelta)
  }
  return { passStep, holdStep }
}
