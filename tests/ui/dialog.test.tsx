import { cleanup, render, screen, waitFor } from '@testing-library/react'
import { type ReactNode, useState } from 'react'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startWords } from '#app/i18n/i18n.ts'
import { Button } from '#ui/display/Button.tsx'
import { CheckField } from '#ui/form/ChoiceFields.tsx'
import { Field } from '#ui/form/Field.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'

beforeEach(startWords)
afterEach(cleanup)

const close = () => {}
const open = async (dialog: ReactNode) => {
  render(dialog)
  await screen.findByRole('dialog')
}
const buttons = () => [...document.querySelectorAll('.p-dialog-footer button')].map(({ textContent }) => textContent)
const focusOn = (name: string | undefined) =>
  waitFor(() => expect(document.activeElement?.textContent || document.activeElement?.getAttribute('name')).toBe(name))
const save = <Button kind="primary">Save</Button>
const remove = <Button kind="danger">Delete</Button>

describe('the buttons of a dialog', () => {
  it('are what is done, then what closes', async () => {
    await open(
      <Dialog open title="Edit" onClose={close} act={save}>
        <p>Text</p>
      </Dialog>,
    )
    expect(buttons()).toEqual(['Save', 'Cancel'])
  })

  it('are one that closes where nothing is done, and none where the content has its own', async () => {
    await open(
      <Dialog open title="About" onClose={close}>
        <p>Text</p>
      </Dialog>,
    )
    expect(buttons()).toEqual(['Close'])
    cleanup()
    await open(
      <Dialog open title="Filters" onClose={close} cancel={null}>
        <p>Text</p>
      </Dialog>,
    )
    expect(buttons()).toEqual([])
  })

  it('give way to a question until it is answered', async () => {
    await open(
      <Dialog open title="Edit" onClose={close} act={save} question={<button type="button">Keep editing</button>}>
        <p>Text</p>
      </Dialog>,
    )
    expect(buttons()).toEqual(['Keep editing'])
  })
})

describe('the focus begins (A-10)', () => {
  it('in the first field that is typed in, and on no switch', async () => {
    await open(
      <Dialog open side="right" title="Edit" onClose={close} act={save}>
        <CheckField look="switch" label="Admin" name="admin" />
        <Field label="Code" name="code" value="acme" locked="It never changes." />
        <Field label="Name" name="name" />
      </Dialog>,
    )
    await focusOn('name')
  })

  it('on the title of a drawer that has only switches', async () => {
    await open(
      <Dialog open side="right" title="Edit Ada Wong" onClose={close} act={save}>
        <CheckField look="switch" label="Admin" name="admin" />
      </Dialog>,
    )
    await focusOn('Edit Ada Wong')
  })

  it('on what closes, where something is lost', async () => {
    await open(
      <Dialog open title="Delete?" onClose={close} act={remove}>
        <p>Text</p>
      </Dialog>,
    )
    await focusOn('Cancel')
  })

  it('on what is done, where nothing is lost', async () => {
    await open(
      <Dialog open title="Send?" onClose={close} act={save}>
        <p>Text</p>
      </Dialog>,
    )
    await focusOn('Save')
  })
})

function Rows() {
  const [names, setNames] = useState(['Ada', 'Ben', 'Cam'])
  const [asked, setAsked] = useState<string | null>(null)
  const drop = () => {
    const gone = asked
    setAsked(null)
    // As it is told from the device's database: after the dialog is gone.
    setTimeout(() => setNames((now) => now.filter((name) => name !== gone)), 30)
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
                <button type="button" onClick={() => setAsked(name)}>
                  Delete {name}
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <Dialog
        open={asked !== null}
        title="Delete?"
        onClose={() => setAsked(null)}
        act={<Button onClick={drop}>Yes</Button>}
      >
        <p>Text</p>
      </Dialog>
    </main>
  )
}

it('a deleted row leaves the focus to the one that takes its place, the last of them to the heading (A-10)', async () => {
  render(<Rows />)
  const removed = async (name: string) => {
    const button = screen.getByRole('button', { name: `Delete ${name}` })
    button.focus()
    button.click()
    const yes = await screen.findByRole('button', { name: 'Yes' })
    yes.click()
    await waitFor(() => expect(screen.queryByText(name)).toBeNull())
  }
  await removed('Ben')
  await focusOn('Cam')
  await removed('Cam')
  await focusOn('Ada')
  await removed('Ada')
  await focusOn('Users')
})
