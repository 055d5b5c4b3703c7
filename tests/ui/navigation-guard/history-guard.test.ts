import { expect, it } from 'vitest'
import { guardHistory } from '#ui/navigation-guard/history-guard.ts'

/** Simulates a browser history. A step is asynchronous, and its event comes after it. */
function openHistory(startIndex: number) {
  const pendingSteps: number[] = []
  const routerIndexes: number[] = []
  const blockedSteps: number[] = []
  let now = startIndex
  const { passStep: pass, holdStep: hold } = guardHistory(
    startIndex,
    (delta) => pendingSteps.push(delta),
    (delta) => blockedSteps.push(delta),
  )
  function step(delta: number) {
    now += delta
    let isStopped = false
    hold({ state: { idx: now }, stopImmediatePropagation: () => (isStopped = true) })
    if (!isStopped) routerIndexes.push(now)
  }
  /** Executes the pending steps in order. */
  function settle() {
    for (let delta = pendingSteps.shift(); delta !== undefined; delta = pendingSteps.shift()) step(delta)
  }
  return { pass, step, settle, blockedSteps, routerIndexes, getIndex: () => now }
}

it('A step back is reversed before the router notices it, and is reported', () => {
  const tab = openHistory(3)
  tab.step(-1)
  tab.settle()
  expect([tab.getIndex(), tab.blockedSteps, tab.routerIndexes]).toEqual([3, [-1], []])
})

it('A confirmed step passes once', () => {
  const tab = openHistory(3)
  tab.step(-1)
  tab.settle()
  tab.pass(-1)
  tab.settle()
  expect([tab.getIndex(), tab.blockedSteps, tab.routerIndexes]).toEqual([2, [-1], [2]])
})

it('A step that is confirmed before its reversal is still one step, without a second question', () => {
  const tab = openHistory(3)
  tab.step(-1)
  tab.pass(-1)
  tab.settle()
  expect([tab.getIndex(), tab.blockedSteps, tab.routerIndexes]).toEqual([2, [-1], [2]])
})
