/** Time in ms in which an answered question may remove its row or button: the change is sent first. */
const removalMs = 15_000
const rowSelector = 'tr, li, [role=row]'

const buttonsIn = (row: Element): HTMLButtonElement[] => [...row.querySelectorAll<HTMLButtonElement>('button')]

/**
 * Moves the focus on if a click on a button removes it: from a row to the next row, elsewhere to what replaces the button. Called once, for
 * all pages.
 */
export function keepFocus(): void {
  window.addEventListener(
    'click',
    ({ target }) => {
      const button = target instanceof Element ? target.closest('button') : null
      if (button?.closest(rowSelector)) rememberFocus(button)()
      else if (button && button === document.activeElement && !button.closest(ownFocusSelector)) followButton(button)
    },
    true,
  )
}

/** These restore the focus themselves. */
const ownFocusSelector = '[role=dialog], dialog, [role=menu], .toasts, [data-restores-focus]'
const controlSelector = 'button:not(:disabled), a[href], input:not(:disabled), select:not(:disabled), textarea'
/** Time in ms in which a click may remove its button: the page asks the server first. */
const replacementMs = 5_000

/**
 * Example: "Modify" is replaced by "Cancel" and a form. The focus goes to new content with `data-takes-focus`, else to the first control of the
 * closest element that remains, else to the heading of the page.
 */
function followButton(button: HTMLElement) {
  const { pathname } = location
  const ancestors = listAncestors(button)
  let focusedElement: Element = document.body
  const moveFocus = () => {
    const { activeElement } = document
    // The heading of another page takes the focus itself.
    if (location.pathname !== pathname) return stop()
    if (button.isConnected || document.querySelector('dialog[open]')) return
    if (activeElement !== document.body && activeElement !== focusedElement) return
    const newContent = document.querySelector<HTMLElement>('main [data-takes-focus]')
    const target = newContent ?? findRemainingControl(ancestors)
    if (!target || activeElement === target || (activeElement !== document.body && !newContent)) return
    // New content is taller than the window: scrolling to it would move the heading and "Cancel" out of sight.
    target.focus({ preventScroll: target.matches('h1, [data-takes-focus]') })
    focusedElement = target
  }
  const observer = new MutationObserver(() => void setTimeout(moveFocusIfObserved))
  const end = new AbortController()
  const moveFocusIfObserved = () => end.signal.aborted || moveFocus()
  function stop() {
    observer.disconnect()
    end.abort()
  }
  // Effects of the new content, which may take the focus, run first.
  observer.observe(document.body, { childList: true, subtree: true })
  // The next press decides where the focus is.
  for (const type of ['pointerdown', 'keydown'])
    window.addEventListener(type, stop, { capture: true, signal: end.signal })
  setTimeout(stop, replacementMs)
}

function listAncestors(element: Element): Element[] {
  const parent = element.parentElement
  return parent && !parent.matches('main') ? [parent, ...listAncestors(parent)] : []
}

function findRemainingControl(ancestors: readonly Element[]): HTMLElement | null {
  const remaining = ancestors.find((ancestor) => ancestor.isConnected)
  const heading = document.querySelector<HTMLElement>('main h1')
  if (!remaining || remaining.querySelector('h1')) return heading
  const controls = [...remaining.querySelectorAll<HTMLElement>(controlSelector)]
  return controls.find((candidate) => candidate.getClientRects().length > 0) ?? heading
}

/**
 * Returns a function that restores the focus, unless another element has the focus by then. It focuses the first of these that
 * exists:
 * - the element itself
 * - a control in a neighbouring row, if its row was removed
 * - a control in its section, if that was the last row
 * - the heading of the page
 */
export function rememberFocus(focusedElement: Element | null): () => void {
  const row = focusedElement?.closest(rowSelector)
  const watchedElement = row ?? (focusedElement?.closest(ownFocusSelector) ? null : focusedElement)
  const section = row?.closest('.price-rows, fieldset, section, form')
  const indexFromEnd =
    focusedElement && row
      ? buttonsIn(row)
          .reverse()
          .indexOf(focusedElement as HTMLButtonElement)
      : -1
  const neighbours = [row?.nextElementSibling, row?.previousElementSibling]
  const restoreFocus = () => {
    if (document.activeElement !== document.body) return
    const rowCandidates = neighbours.map(
      (neighbour) =>
        neighbour?.querySelector('a[href]') ??
        (neighbour ? buttonsIn(neighbour).reverse()[indexFromEnd] : null) ??
        neighbour?.querySelector('button'),
    )
    const sectionCandidate =
      row?.isConnected === false ? section?.querySelector('button:not(:disabled), a[href], input') : null
    const candidates = [focusedElement, ...rowCandidates, sectionCandidate, document.querySelector('main h1')]
    for (const candidate of candidates)
      if (candidate instanceof HTMLElement && candidate.isConnected && candidate !== document.body)
        return candidate.focus()
  }
  return () =>
    // Runs after React has removed the focused element, because the focus is lost only then.
    void setTimeout(() => {
      restoreFocus()
      if (!watchedElement) return
      // A deleted row is removed when the response is stored, shortly after its dialog closes. The last row is removed with its list. A
      // button outside rows is removed in the same way, such as that of a payment.
      const observer = new MutationObserver(() => {
        if (watchedElement.isConnected) return
        observer.disconnect()
        // Effects of what replaces it, which may take the focus, run first.
        setTimeout(restoreFocus)
      })
      observer.observe(document.body, { childList: true, subtree: true })
      setTimeout(() => observer.disconnect(), removalMs)
    })
}
