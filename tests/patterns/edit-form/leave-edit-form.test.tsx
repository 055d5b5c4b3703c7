/** Tests of a form that is left while it is being saved. */
import { act, cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { Link, MemoryRouter, Route, Routes } from 'react-router-dom'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startMessages } from '#app/i18n/page-messages.ts'
import type { VersionedRow } from '#contract/endpoint.ts'
import { createLocalProblem } from '#contract/problem.ts'
import { useEditForm } from '#patterns/edit-form/useEditForm.ts'
import type { CallResult } from '#request/call-results.ts'
import { createStore, type ThunkExtra } from '#state/store.ts'
import { signedIn } from '#state/session-slice.ts'
import { StoreProvider } from '#state/use-store.ts'
import { Field } from '#ui/form/Field.tsx'
import { PageForm } from '#ui/form/PageForm.tsx'
import { buildUser } from '#tests/support/device/device-database.ts'

interface TeamRow extends VersionedRow {
  name: string
  note: string
}
type TeamValues = { name: string; note: string }
const teamRow: TeamRow = { id: 4, row_version: 7, name: 'Blue', note: '' }
const freshResult: CallResult<unknown> = { kind: 'fresh', output: null }
const refusal: CallResult<unknown> = {
  kind: 'problem',
  problem: { ...createLocalProblem('OFFLINE'), status: 422, code: 'NOT_ALLOWED' },
  intent: 'intent-1',
}

const typist = userEvent.setup()
let savedCount: number
let leaveCount: number
/** Responds to the pending write. */
let respond: (result: CallResult<unknown>) => Promise<void>

function TeamForm() {
  const form = useEditForm<TeamRow, TeamValues, TeamValues>({
    name: 'desk',
    row: { row: teamRow, waiting: null },
    toValues: (row) => ({ name: row?.name ?? '', note: row?.note ?? '' }),
    fromValues: (values) => values,
    check: () => [],
    formatFault: ({ code }) => code,
    save: () => () =>
      new Promise((resolve) => {
        respond = (result) => act(async () => resolve(result))
      }),
    onSaved() {
      savedCount += 1
    },
    onLeave() {
      leaveCount += 1
    },
    texts: { submit: 'Save', saving: 'Saving…', unchanged: 'Nothing has been changed.' },
  })
  return (
    <PageForm {...form.formProps}>
      <Field label="Name" {...form.getFieldProps('name')} />
      <Field label="Note" {...form.getFieldProps('note')} />
    </PageForm>
  )
}

const getInput = (label: string) => screen.getByLabelText<HTMLInputElement>(label)
const submit = () => typist.click(screen.getByRole('button', { name: /^Sav/ }))

beforeEach(async () => {
  await startMessages()
  savedCount = 0
  leaveCount = 0
})
afterEach(cleanup)

describe('leaving the form while it is saved', () => {
  const openPages = async (target = '/home') => {
    const store = createStore({} as ThunkExtra)
    store.dispatch(signedIn(buildUser(1)))
    render(
      <StoreProvider store={store}>
        <MemoryRouter initialEntries={['/form']}>
          <Link to={target}>Home</Link>
          <Routes>
            <Route path="/form" element={<TeamForm />} />
            <Route path="/home" element={<p>Welcome</p>} />
          </Routes>
        </MemoryRouter>
      </StoreProvider>,
    )
    await typist.type(getInput('Name'), ' Sky')
  }
  const followLink = () => typist.click(screen.getByRole('link', { name: 'Home' }))
  const openAndLeave = async () => {
    await openPages()
    await submit()
    await followLink()
  }

  it('follows the link as soon as the input is saved', async () => {
    await openAndLeave()
    expect(screen.queryByText('Welcome')).toBeNull()
    await respond(freshResult)
    expect(screen.getByText('Welcome')).toBeTruthy()
    expect([savedCount, leaveCount]).toEqual([1, 0])
  })

  it('stays in the form if the user saves instead of answering whether to leave', async () => {
    await openPages()
    await followLink()
    await typist.click(getInput('Note'))
    await act(async () => getInput('Note').form?.requestSubmit())
    expect(screen.queryByRole('button', { name: 'Discard changes' })).toBeNull()
    expect(document.activeElement).toBe(getInput('Note'))
    await respond(freshResult)
    expect(screen.queryByText('Welcome')).toBeNull()
    expect([savedCount, leaveCount]).toEqual([1, 1])
  })

  it('closes the question if the link leads back to the same form', async () => {
    await openPages('/form?again')
    await submit()
    await followLink()
    await respond(freshResult)
    expect(screen.queryByRole('button', { name: 'Discard changes' })).toBeNull()
    await typist.type(getInput('Name'), '!')
    await submit()
    await respond(freshResult)
    expect(leaveCount).toBe(1)
  })

  it('stays in the form if the input is refused', async () => {
    await openAndLeave()
    await respond(refusal)
    expect(screen.queryByText('Welcome')).toBeNull()
    expect(getInput('Name').value).toBe('Blue Sky')
  })

  it('does not open another page after the user has left without waiting', async () => {
    await openAndLeave()
    await typist.click(screen.getByRole('button', { name: 'Discard changes' }))
    expect(screen.getByText('Welcome')).toBeTruthy()
    await respond(freshResult)
    expect([savedCount, leaveCount]).toEqual([1, 0])
  })
})
