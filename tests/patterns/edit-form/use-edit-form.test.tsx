import { act, cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { MemoryRouter } from 'react-router-dom'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startMessages } from '#app/i18n/page-messages.ts'
import type { VersionedRow } from '#contract/endpoint.ts'
import { createLocalProblem, type Problem } from '#contract/problem.ts'
import { cleanText } from '#domain/text.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { EditFormNotes } from '#patterns/edit-form/EditFormNotes.tsx'
import type { EditFormOptions, FieldFault, FormWrite, SavedForm } from '#patterns/edit-form/edit-form-options.ts'
import { useEditForm } from '#patterns/edit-form/useEditForm.ts'
import type { CallResult } from '#request/call-results.ts'
import { sessionExpiredChanged } from '#state/connection-slice.ts'
import { type AppStore, createStore, type ThunkExtra } from '#state/store.ts'
import { signedIn, signedOut } from '#state/session-slice.ts'
import { StoreProvider, useSession } from '#state/use-store.ts'
import { Field } from '#ui/form/Field.tsx'
import { PageForm } from '#ui/form/PageForm.tsx'
import { buildUser } from '#tests/support/device/device-database.ts'

interface TeamRow extends VersionedRow {
  name: string
  note: string | null
}
type TeamValues = { name: string; note: string }
type TeamFields = { name: string; note: string | null }
type TeamFormOptions = EditFormOptions<TeamRow, TeamValues, TeamFields, FieldFault>

const teamRow: TeamRow = { id: 4, row_version: 7, name: 'Blue', note: null }
const toOverlaidRow = (fields: Partial<TeamRow> = {}): OverlaidRow<TeamRow> => ({
  row: { ...teamRow, ...fields },
  waiting: null,
})
const freshResult = (output: unknown = null): CallResult<unknown> => ({ kind: 'fresh', output })
const buildRefusal = (fields: Partial<Problem>): CallResult<unknown> => ({
  kind: 'problem',
  problem: { ...createLocalProblem('OFFLINE'), status: 422, ...fields },
  intent: 'intent-1',
})

const typist = userEvent.setup()
let store: AppStore
let writes: FormWrite<TeamRow, TeamFields>[]
let savedForms: SavedForm<TeamFields>[]
/** Responds to the pending write. */
let respond: (result: CallResult<unknown>) => Promise<void>

function TeamForm({ row, ...options }: Partial<TeamFormOptions> & Pick<TeamFormOptions, 'row'>) {
  const form = useEditForm<TeamRow, TeamValues, TeamFields>({
    name: 'team',
    row,
    toValues: (team) => ({ name: team?.name ?? '', note: team?.note ?? '' }),
    fromValues: ({ name, note }) => ({ name: cleanText(name), note: cleanText(note) || null }),
    check: ({ name }) => (name === '' ? [{ field: 'name', code: 'REQUIRED' }] : []),
    formatFault: ({ code }) => `wrong: ${code}`,
    save: (write) => () => {
      writes.push(write)
      return new Promise((resolve) => {
        respond = (result) => act(async () => resolve(result))
      })
    },
    onSaved: (saved) => void savedForms.push(saved),
    texts: { createAction: 'Create team', submit: 'Save', saving: 'Saving…', unchanged: 'Nothing has been changed.' },
    ...options,
  })
  return (
    <PageForm {...form.formProps}>
      <EditFormNotes
        form={form}
        conflictTitle="Changed by somebody else"
        fields={['name', 'note']}
        formatField={(name, current) => ({ label: name, value: current[name] ?? '' })}
      />
      <Field label="Name" {...form.getFieldProps('name')} />
      <Field label="Note" {...form.getFieldProps('note')} />
      <button type="button" onClick={form.undo}>
        Undo
      </button>
    </PageForm>
  )
}

/** Renders the form only while a user is signed in, as the app does. */
const GuardedForm = (options: Parameters<typeof TeamForm>[0]) =>
  useSession().kind === 'signed in' ? <TeamForm {...options} /> : null

const buildPage = (options: Partial<TeamFormOptions> & Pick<TeamFormOptions, 'row'>) => (
  <StoreProvider store={store}>
    <MemoryRouter>
      <GuardedForm {...options} />
    </MemoryRouter>
  </StoreProvider>
)
const openForm = (row: OverlaidRow<TeamRow> | null, options: Partial<TeamFormOptions> = {}) =>
  render(buildPage({ row, ...options }))
const getInput = (label: string) => screen.getByLabelText<HTMLInputElement>(label)
const getSubmitButton = () => screen.getByRole<HTMLButtonElement>('button', { name: /^Sav/ })
const submit = () => typist.click(getSubmitButton())

beforeEach(async () => {
  await startMessages()
  store = createStore({} as ThunkExtra)
  store.dispatch(signedIn(buildUser(1)))
  writes = []
  savedForms = []
})
afterEach(cleanup)

describe('saving a changed record', () => {
  it('is disabled with a reason before anything is changed', async () => {
    openForm(toOverlaidRow())
    expect(getSubmitButton().getAttribute('aria-disabled')).toBe('true')
    expect(document.body.textContent).toContain('Nothing has been changed.')
    await typist.type(getInput('Name'), ' ')
    expect(getSubmitButton().getAttribute('aria-disabled')).toBe('true')
  })

  it('sends the changed fields, with the version and the fields they are based on', async () => {
    openForm(toOverlaidRow())
    await typist.type(getInput('Note'), ' Third floor ')
    await submit()
    expect(writes).toEqual([
      {
        row: toOverlaidRow(),
        fields: { name: 'Blue', note: 'Third floor' },
        changes: { note: 'Third floor' },
        options: { base: { rowVersion: 7, values: { name: 'Blue', note: null } } },
      },
    ])
    expect(getSubmitButton().textContent).toContain('Saving…')
    await respond(freshResult())
    expect(savedForms).toEqual([{ id: 4, fields: { name: 'Blue', note: 'Third floor' }, isQueued: false }])
    expect(document.body.textContent).toContain('Nothing has been changed.')
  })

  it('keeps input that is typed during the write', async () => {
    openForm(toOverlaidRow())
    await typist.type(getInput('Name'), ' Sky')
    await submit()
    await typist.type(getInput('Note'), 'North')
    await respond(freshResult())
    expect([getInput('Name').value, getInput('Note').value]).toEqual(['Blue Sky', 'North'])
    await submit()
    expect(writes[1]?.changes).toEqual({ note: 'North' })
  })

  it('is sent once if it is submitted several times', async () => {
    let allow: (faults: FieldFault[]) => void = () => undefined
    openForm(toOverlaidRow(), {
      checkBeforeSave: () =>
        new Promise((resolve) => {
          allow = resolve
        }),
    })
    await typist.type(getInput('Name'), ' Sky{Enter}{Enter}')
    await act(async () => allow([]))
    await typist.type(getInput('Name'), '{Enter}')
    expect(writes).toHaveLength(1)
    await respond(buildRefusal({ code: 'NOT_ALLOWED' }))
    await submit()
    await act(async () => allow([]))
    expect(writes).toHaveLength(2)
  })

  it('can be undone, which restores the initial values', async () => {
    openForm(toOverlaidRow())
    await typist.clear(getInput('Name'))
    await submit()
    expect(document.body.textContent).toContain('wrong: REQUIRED')
    await typist.click(screen.getByRole('button', { name: 'Undo' }))
    expect(getInput('Name').value).toBe('Blue')
    expect(document.body.textContent).not.toContain('wrong: REQUIRED')
  })
})

describe('creating a record', () => {
  it('reports the id from the server, or that of the waiting write', async () => {
    const { unmount } = openForm(null)
    await typist.type(getInput('Name'), 'Red')
    await submit()
    expect(writes[0]).toMatchObject({ row: null, fields: { name: 'Red', note: null }, options: {} })
    await respond(freshResult({ id: 9 }))
    unmount()
    openForm(null)
    await typist.type(getInput('Name'), 'Green')
    await submit()
    await respond({ kind: 'queued', intent: 'intent-2' })
    expect(savedForms.map(({ id, isQueued }) => [id, isQueued])).toEqual([
      [9, false],
      ['~intent-2', true],
    ])
  })
})

describe('a refused form', () => {
  it('marks the faults, focuses the first, and clears each as soon as its input is valid', async () => {
    openForm(toOverlaidRow())
    await typist.clear(getInput('Name'))
    expect(getInput('Name').getAttribute('aria-invalid')).toBeNull()
    await typist.click(getInput('Note'))
    await submit()
    expect(document.activeElement).toBe(getInput('Name'))
    expect(writes).toEqual([])
    await typist.type(getInput('Name'), 'B')
    expect(getInput('Name').getAttribute('aria-invalid')).toBeNull()
    await typist.clear(getInput('Name'))
    expect(getInput('Name').getAttribute('aria-invalid')).toBe('true')
  })

  it('clears a fault of two inputs once the combination is valid', async () => {
    openForm(toOverlaidRow(), {
      check: ({ name, note }) => (name === note ? [{ field: 'note', code: 'SAME' }] : []),
    })
    await typist.type(getInput('Note'), 'Blue')
    await submit()
    expect(getInput('Note').getAttribute('aria-invalid')).toBe('true')
    await typist.type(getInput('Name'), ' Sky')
    await submit()
    expect(getInput('Note').getAttribute('aria-invalid')).toBeNull()
    expect(writes).toHaveLength(1)
  })

  it('clears the refusal when it is undone', async () => {
    openForm(toOverlaidRow())
    await typist.type(getInput('Name'), 's')
    await submit()
    await respond(buildRefusal({ code: 'NOT_ALLOWED' }))
    expect(screen.getByRole('alert')).toBeTruthy()
    await typist.click(screen.getByRole('button', { name: 'Undo' }))
    expect(screen.queryByRole('alert')).toBeNull()
  })

  it('is sent again with its intent, or with a new intent if the first is used up', async () => {
    openForm(toOverlaidRow())
    await typist.type(getInput('Name'), 's')
    await submit()
    await respond(buildRefusal({ code: 'NOT_ALLOWED' }))
    expect(screen.getByRole('alert').textContent).toContain('Update failed')
    await submit()
    expect(writes[1]?.options.intent).toBe('intent-1')
    await respond(buildRefusal({ code: 'INTENT_DONE' }))
    await submit()
    expect(writes[2]?.options.intent).toBeUndefined()
  })

  it('is sent with a new intent after other values were typed, also while the refused write was being sent', async () => {
    openForm(toOverlaidRow())
    await typist.type(getInput('Name'), 's')
    await submit()
    await respond(buildRefusal({ code: 'NEEDS_CONNECTION', status: 0 }))
    await typist.type(getInput('Note'), 'x')
    await submit()
    expect([writes[1]?.fields.note, writes[1]?.options.intent]).toEqual(['x', undefined])
    await typist.type(getInput('Note'), 'y')
    await respond(buildRefusal({ code: 'NEEDS_CONNECTION', status: 0 }))
    await submit()
    expect([writes[2]?.fields.note, writes[2]?.options.intent]).toEqual(['xy', undefined])
  })

  it('shows a refusal of the server at its input', async () => {
    openForm(toOverlaidRow())
    await typist.type(getInput('Note'), 'x')
    await submit()
    await respond(buildRefusal({ code: 'VALIDATION_ERROR', data: [{ field: 'note', code: 'TOO_LONG' }] }))
    expect(document.activeElement).toBe(getInput('Note'))
    expect(document.body.textContent).toContain('wrong: TOO_LONG')
    expect(screen.queryByRole('alert')).toBeNull()
  })

  it('continues from the current row if another user has changed it', async () => {
    openForm(toOverlaidRow())
    await typist.type(getInput('Note'), 'Mine')
    await submit()
    const current = { ...teamRow, row_version: 8, name: 'Theirs', note: 'Theirs too' }
    await respond(buildRefusal({ code: 'VERSION_CONFLICT', status: 412, data: { current } }))
    expect([getInput('Name').value, getInput('Note').value]).toEqual(['Theirs', 'Mine'])
    expect(document.querySelector('.conflict-note')?.textContent).toContain('Theirs too')
    await submit()
    expect(writes[1]).toMatchObject({
      changes: { note: 'Mine' },
      options: { base: { rowVersion: 8, values: { name: 'Theirs', note: 'Theirs too' } } },
    })
    await respond(freshResult())
    expect(document.querySelector('.conflict-note')).toBeNull()
  })

  it('treats a failed load of its code as a lost connection', async () => {
    openForm(toOverlaidRow(), { save: () => () => Promise.reject(new TypeError('Failed to fetch')) })
    await typist.type(getInput('Name'), 's')
    await submit()
    expect(document.querySelector('.problem')?.textContent).toContain('Update failed')
    expect(getInput('Name').value).toBe('Blues')
  })

  it('opens on an earlier refused write, with its problem and its intent', async () => {
    const problem = {
      ...createLocalProblem('OFFLINE'),
      status: 422,
      code: 'VALIDATION_ERROR',
      data: [{ field: 'name', code: 'TAKEN' }],
    }
    openForm(null, { initialValues: { name: 'Red', note: '' }, refusedWrite: { intent: 'intent-0', problem } })
    expect([getInput('Name').value, document.body.textContent?.includes('wrong: TAKEN')]).toEqual(['Red', true])
    await submit()
    expect(writes[0]?.options.intent).toBe('intent-0')
  })
})

describe('a row that changes while its form is open', () => {
  it('updates the form until something is typed', async () => {
    const { rerender } = openForm(toOverlaidRow(), { followsRow: true })
    rerender(buildPage({ row: toOverlaidRow({ name: 'Navy' }), followsRow: true }))
    expect(getInput('Name').value).toBe('Navy')
    await typist.type(getInput('Name'), '!')
    rerender(buildPage({ row: toOverlaidRow({ name: 'Teal' }), followsRow: true }))
    expect(getInput('Name').value).toBe('Navy!')
  })

  it('updates the form if only spaces were typed', async () => {
    const { rerender } = openForm(toOverlaidRow(), { followsRow: true })
    await typist.type(getInput('Name'), ' ')
    rerender(buildPage({ row: toOverlaidRow({ name: 'Navy' }), followsRow: true }))
    expect(getInput('Name').value).toBe('Navy')
  })

  it('does not replace input that was typed after saving and before the new row arrived', async () => {
    const { rerender } = openForm(toOverlaidRow(), { followsRow: true })
    await typist.type(getInput('Name'), 's')
    await submit()
    await respond(freshResult())
    await typist.type(getInput('Note'), 'Later')
    rerender(buildPage({ row: toOverlaidRow({ name: 'Blues', row_version: 8 }), followsRow: true }))
    expect([getInput('Name').value, getInput('Note').value]).toEqual(['Blues', 'Later'])
    await submit()
    expect(writes[1]).toMatchObject({ changes: { note: 'Later' }, options: { base: { rowVersion: 8 } } })
  })
})

it('The form keeps its values in memory when the session ends, for the same user', async () => {
  openForm(toOverlaidRow())
  await typist.type(getInput('Name'), ' Sky')
  act(() => void store.dispatch(signedOut('ended')))
  expect(screen.queryByLabelText('Name')).toBeNull()
  act(() => void store.dispatch(signedIn(buildUser(1))))
  expect(getInput('Name').value).toBe('Blue Sky')
})

it('The form shows that the session has expired before anything is typed', async () => {
  openForm(toOverlaidRow())
  act(() => void store.dispatch(sessionExpiredChanged(true)))
  expect(getSubmitButton().getAttribute('aria-disabled')).toBe('true')
  expect(screen.getByRole('alert')).toBeTruthy()
})
