import { act, cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { MemoryRouter } from 'react-router-dom'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { loadPageMessages } from '#app/i18n/page-messages.ts'
import { createLocalProblem } from '#contract/problem.ts'
import type { BulkActionResult } from '#features/users/list/run-bulk-action.ts'
import { useBulkToast } from '#features/users/list/useBulkToast.ts'
import { createStore, type ThunkExtra } from '#state/store.ts'
import { StoreProvider } from '#state/use-store.ts'
import { Toasts } from '#ui/overlay/toasts.tsx'

const buildResult = (name: string, result: BulkActionResult['result']): BulkActionResult => ({
  user: { id: name.length, name, email: `${name}@acme.example`, status: 1 },
  result,
})
const fresh = { kind: 'fresh', output: null } as const
const queued = { kind: 'queued', intent: 'intent-1' } as const
const refuse = (code: Parameters<typeof createLocalProblem>[0]) =>
  ({ kind: 'problem', problem: createLocalProblem(code) }) as const

function Bulk({ undoResults }: { undoResults: readonly BulkActionResult[] }) {
  const showResult = useBulkToast(() => undefined)
  const texts = {
    formatDone: ({ number }: { number: string }) => `${number} done`,
    buildUndo: () => () => async () => [...undoResults],
  }
  return (
    <button type="button" onClick={() => showResult([buildResult('Ann', fresh)], texts)}>
      Run
    </button>
  )
}

async function undoWith(undoResults: readonly BulkActionResult[]): Promise<(string | null)[]> {
  render(
    <StoreProvider store={createStore({} as ThunkExtra)}>
      <Bulk undoResults={undoResults} />
      <MemoryRouter>
        <Toasts />
      </MemoryRouter>
    </StoreProvider>,
  )
  const press = async (name: string) => userEvent.click(screen.getByRole('button', { name }))
  await press('Run')
  await press('Undo')
  return [...document.querySelectorAll('.toast p')].map(({ textContent }) => textContent?.trim() ?? null)
}

beforeEach(() => loadPageMessages('people', 'users', 'problem'))
afterEach(() => {
  for (const button of screen.queryAllByRole('button', { name: /^Close/ })) act(() => button.click())
  cleanup()
})

it('An undo that waits to be sent is not reported as done', async () => {
  expect(await undoWith([buildResult('Ann', queued), buildResult('Bea', queued)])).toEqual(['2 waiting to be sent'])
})

it('An undo reports done, waiting and refused users, with one message for each reason', async () => {
  const texts = await undoWith([
    buildResult('Ann', fresh),
    buildResult('Bea', queued),
    buildResult('Cy', refuse('OFFLINE')),
    buildResult('Dan', null),
    buildResult('Eve', refuse('OFFLINE')),
  ])
  expect(texts.slice(0, 2)).toEqual(['Undone: 1 user is as before', '1 waiting to be sent'])
  expect(texts.slice(2)).toEqual([
    expect.stringMatching(/^Not undone for Cy, Eve\. /),
    expect.stringMatching(/^Not undone for Dan\. /),
  ])
})
