/** True for single-line text fields. In a text area, Enter begins a new line. */
const isLineField = (field: Element): field is HTMLInputElement =>
  field instanceof HTMLInputElement &&
  !/checkbox|radio|range|file|hidden/.test(field.type) &&
  !field.hidden &&
  !field.readOnly &&
  field.tabIndex >= 0

/** Sets the label of the Enter key on a screen keyboard: it goes to the next field, and submits from the last one (T-05). */
function nameEnterKey(target: EventTarget | null): void {
  if (!(target instanceof HTMLInputElement) || !isLineField(target) || target.enterKeyHint) return
  const lineFields = [...(target.form?.elements ?? [])].filter(isLineField)
  const isSearch = target.type === 'search' || target.getAttribute('role') === 'combobox'
  const isLast = lineFields.at(-1) === target
  target.setAttribute('enterkeyhint', isSearch ? 'search' : !target.form ? 'done' : isLast ? 'send' : 'next')
}

export function nameEnterKeys(): void {
  document.addEventListener('focusin', ({ target }) => nameEnterKey(target))
  nameEnterKey(document.activeElement)
}
