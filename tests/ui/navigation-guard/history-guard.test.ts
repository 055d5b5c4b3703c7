import { expect, it } from 'vitest'
import { guardHistory } from '#ui/navigation-guard/history-guard.ts'

/** A history as a browser has it: a step takes a while, and is told when it has been taken. */
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
  /** What was asked of the browser is done, one after the other. */
  function settle() {
    for (let delta = pendingSteps.shift(); delta !== undefined; delta = pendingSteps.shift()) step(delta)
  }
  return { pass, step, settle, blockedSteps, routerIndexes, getIndex: () => now }
}

it('a step back is taken back before the router sees it, and told', () => {
  const tab = openHistory(3)
  tab.step(-1)
  tab.settle()
  expect([tab.getIndex(), tab.blockedSteps, tab.routerIndexes]).toEqual([3, [-1], []])
})

it('what is agreed to goes through, once', () => {
  const tab = openHistory(3)
  tab.step(-1)
  tab.settle()
  tab.pass(-1)
  tab.settle()
  expect([tab.getIndex(), tab.blockedSteps, tab.routerIndexes]).toEqual([2, [-1], [2]])
})

it('agreed to before the step has been put back, it still is one step, and nobody is asked again', () => {
  const tab = openHistory(3)
  tab.step(-1)
  tab.pass(-1)
  tab.settle()
  expect([tab.getIndex(), tab.blockedSteps, tab.routerIndexes]).toEqual([2, [-1], [2]])
})
