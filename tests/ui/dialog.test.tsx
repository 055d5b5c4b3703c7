import { cleanup, render, screen, waitFor } from '@testing-library/react'
import { type ReactNode, useState } from 'react'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startMessages } from '#app/i18n/page-messages.ts'
import { Button } from '#ui/display/Button.tsx'
import { CheckField } from '#ui/form/choice-fields.tsx'
import { Field } from '#ui/form/Field.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'

beforeEach(startMessages)
afterEach(cleanup)

const doNothing = () => {}
const openDialog = async (dialog: ReactNode) => {
  render(dialog)
  await screen.findByRole('dialog')
}
const readButtons = () =>
  [...document.querySelectorAll('.p-dialog-footer button')].map(({ textContent }) => textContent)
const waitForFocus = (name: string | undefined) =>
  waitFor(() => expect(document.activeElement?.textContent || document.activeElement?.getAttribute('name')).toBe(name))
const saveButton = <Button kind="primary">Save</Button>
const deleteButton = <Button kind="danger">Delete</Button>

describe('the buttons of a dialog', () => {
  it('are the action, then the close button', async () => {
    await openDialog(
      <Dialog open title="Edit" onClose={doNothing} action={saveButton}>
        <p>Text</p>
      </Dialog>,
    )
    expect(readButtons()).toEqual(['Save', 'Cancel'])
  })

  it('are only the close button without an action, and none if the content has its own buttons', async () => {
    await openDialog(
      <Dialog open title="About" onClose={doNothing}>
        <p>Text</p>
      </Dialog>,
    )
    expect(readButtons()).toEqual(['Close'])
    cleanup()
    await openDialog(
      <Dialog open title="Filters" onClose={doNothing} cancel={null}>
        <p>Text</p>
      </Dialog>,
    )
    expect(readButtons()).toEqual([])
  })

  it('are replaced by a question until it is answered', async () => {
    await openDialog(
      <Dialog
        open
        title="Edit"
        onClose={doNothing}
        action={saveButton}
        question={<button type="button">Keep editing</button>}
      >
        <p>Text</p>
      </Dialog>,
    )
    expect(readButtons()).toEqual(['Keep editing'])
  })
})

describe('the initial focus of a dialog (A-10)', () => {
  it('is in the first text field, not on a switch', async () => {
    await openDialog(
      <Dialog open side="right" title="Edit" onClose={doNothing} action={saveButton}>
        <CheckField variant="switch" label="Admin" name="admin" />
        <Field label="Code" name="code" value="acme" lockReason="It never changes." />
        <Field label="Name" name="name" />
      </Dialog>,
    )
    await waitForFocus('name')
  })

  it('is on the title of a drawer that has only switches', async () => {
    await openDialog(
      <Dialog open side="right" title="Edit Ada Wong" onClose={doNothing} action={saveButton}>
        <CheckField variant="switch" label="Admin" name="admin" />
      </Dialog>,
    )
    await waitForFocus('Edit Ada Wong')
  })

  it('is on the close button if the action is destructive', async () => {
    await openDialog(
      <Dialog open title="Delete?" onClose={doNothing} action={deleteButton}>
        <p>Text</p>
      </Dialog>,
    )
    await waitForFocus('Cancel')
  })

  it('is on the action if it is not destructive', async () => {
    await openDialog(
      <Dialog open title="Send?" onClose={doNothing} action={saveButton}>
        <p>Text</p>
      </Dialog>,
    )
    await waitForFocus('Save')
  })
})

function TestTable() {
  const [names, setNames] = useState(['Ada', 'Ben', 'Cam'])
  const [nameToDelete, setNameToDelete] = useState<string | null>(null)
  const deleteRow = () => {
    const deletedName = nameToDelete
    setNameToDelete(null)
    // The row disappears after the dialog has closed, as with a live query on the device's database.
    setTimeout(() => setNames((now) => now.filter((name) => name !== deletedName)), 30)
  }
  return (
    <main>
      <h1 tabIndex={-1}>Users</h1>
      <table>
        <tbody>
          {names.map((name) => (
            <tr key={name}>
              <td>
                <a href={`#${name}`}>{name}</a>
                <button type="button" onClick={() => setNameToDelete(name)}>
                  Delete {name}
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <Dialog
        open={nameToDelete !== null}
        title="Delete?"
        onClose={() => setNameToDelete(null)}
        action={<Button onClick={deleteRow}>Yes</Button>}
      >
        <p>Text</p>
      </Dialog>
    </main>
  )
}

it('After a row is deleted, the focus moves to the next row, or to the heading after the last one (A-10)', async () => {
  render(<TestTable />)
  const deleteByButton = async (name: string) => {
    const button = screen.getByRole('button', { name: `Delete ${name}` })
    button.focus()
    button.click()
    const yesButton = await screen.findByRole('button', { name: 'Yes' })
    yesButton.click()
    await waitFor(() => expect(screen.queryByText(name)).toBeNull())
  }
  await deleteByButton('Ben')
  await waitForFocus('Cam')
  await deleteByButton('Cam')
  await waitForFocus('Ada')
  await deleteByButton('Ada')
  await waitForFocus('Users')
})
