import { beforeEach, expect, it } from 'vitest'
import { rememberFocus } from '#ui/overlay/focus-back.ts'

beforeEach(() => {
  document.body.innerHTML = `
    <main>
      <h1 tabindex="-1">Waiting changes</h1>
      <div><button>Pay all</button></div>
      <section><ul><li><button>First</button></li><li><button>Last</button></li></ul></section>
    </main>`
  return () => document.body.replaceChildren()
})

const findButton = (name: string) =>
  [...document.querySelectorAll('button')].find(({ textContent }) => textContent === name)
const readFocus = () => document.activeElement?.textContent

/** Answers a question that the button has opened. */
async function answer(name: string) {
  const button = findButton(name)
  button?.focus()
  const restoreFocus = rememberFocus(button ?? null)
  button?.blur()
  restoreFocus()
  await expect.poll(readFocus).toBe(name)
  return button?.closest('li')
}

it('The focus goes to the neighbour of a row that is removed after its question', async () => {
  const row = await answer('Last')
  row?.remove()
  await expect.poll(readFocus).toBe('First')
})

it('The focus goes to the heading if the last row is removed with its list', async () => {
  await answer('Last')
  document.querySelector('section')?.remove()
  await expect.poll(readFocus).toBe('Waiting changes')
})

it('The focus goes to the heading if a button outside rows is removed after its question', async () => {
  await answer('Pay all')
  findButton('Pay all')?.remove()
  await expect.poll(readFocus).toBe('Waiting changes')
})

it('A dialog that is closed after the one it has opened restores the focus to its own button', async () => {
  const outerButton = findButton('Pay all')
  outerButton?.focus()
  const restoreFocus = rememberFocus(outerButton ?? null)
  document.body.insertAdjacentHTML('beforeend', '<div role="dialog"><button>Card</button></div>')
  await answer('Card')
  document.querySelector('[role=dialog]')?.remove()
  // React cleans up after observers have seen the removal.
  await new Promise((resolve) => setTimeout(resolve))
  restoreFocus()
  await expect.poll(readFocus).toBe('Pay all')
})
