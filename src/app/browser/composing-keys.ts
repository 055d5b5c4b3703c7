/**
 * Stops key events that belong to an input method: the Enter that accepts a word, the arrows that select a candidate, the Escape that
 * cancels. Fields, forms and dialogs must not receive them, or they would submit, move or close. Safari ends the composition before the key
 * event, which it marks by key code 229.
 */
export function ignoreComposingKeys(page: Window): void {
  for (const kind of ['keydown', 'keyup'] as const)
    page.addEventListener(
      kind,
      (event) => {
        if (event.isComposing || event.keyCode === 229) event.stopImmediatePropagation()
      },
      { capture: true },
    )
}
