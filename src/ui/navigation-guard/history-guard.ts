export const getHistoryIndex = (state: unknown): number => (state as { idx?: number } | null)?.idx ?? 0

type PopEvent = Pick<PopStateEvent, 'state' | 'stopImmediatePropagation'>

/**
 * Reverts every history step away from `currentIndex` before the router sees it, and calls `onStepHeld` with its distance. `passStep` makes
 * a step that is not reverted. While another step is being reverted, `passStep` waits, because the two events could not be distinguished.
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
