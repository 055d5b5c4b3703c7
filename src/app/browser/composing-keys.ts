/**
 * Keys that belong to an input method: the Enter that takes a word, the arrows that choose among candidates, the Escape that gives up. No
 * field, form or dialog of ours sees them, so none is sent, moved or closed by one. Safari ends the composition before the key, which it
 * marks by the code 229.
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
