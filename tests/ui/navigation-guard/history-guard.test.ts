import { expect, it } from 'vitest'
import { holdSteps } from '#ui/navigation-guard/history-guard.ts'

/** A history as a browser has it: a step takes a while, and is told when it has been taken. */
function opened(at: number) {
  const under: number[] = []
  const seen: number[] = []
  const held: number[] = []
  let now = at
  const { pass, hold } = holdSteps(
    at,
    (delta) => under.push(delta),
    (delta) => held.push(delta),
  )
  function step(delta: number) {
    now += delta
    let isStopped = false
    hold({ state: { idx: now }, stopImmediatePropagation: () => (isStopped = true) })
    if (!isStopped) seen.push(now)
  }
  /** What was asked of the browser is done, one after the other. */
  function settle() {
    for (let delta = under.shift(); delta !== undefined; delta = under.shift()) step(delta)
  }
  return { pass, step, settle, held, seen, at: () => now }
}

it('a step back is taken back before the router sees it, and told', () => {
  const tab = opened(3)
  tab.step(-1)
  tab.settle()
  expect([tab.at(), tab.held, tab.seen]).toEqual([3, [-1], []])
})

it('what is agreed to goes through, once', () => {
  const tab = opened(3)
  tab.step(-1)
  tab.settle()
  tab.pass(-1)
  tab.settle()
  expect([tab.at(), tab.held, tab.seen]).toEqual([2, [-1], [2]])
})

it('agreed to before the step has been put back, it still is one step, and nobody is asked again', () => {
  const tab = opened(3)
  tab.step(-1)
  tab.pass(-1)
  tab.settle()
  expect([tab.at(), tab.held, tab.seen]).toEqual([2, [-1], [2]])
})
