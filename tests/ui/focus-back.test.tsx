import { beforeEach, expect, it } from 'vitest'
import { rememberFocus } from '#ui/overlay/focus-back.ts'

beforeEach(() => {
  document.body.innerHTML = `
    <main>
      <h1 tabindex="-1">Waiting changes</h1>
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
