import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'

/** Minimum number of wrong fields for the list. Fewer are visible anyway. */
const minListedErrors = 3

interface WrongField {
  field: HTMLElement
  label: string
}

const getLabel = (field: Element) =>
  (field as HTMLInputElement).labels?.[0]?.firstChild?.textContent ?? field.getAttribute('aria-label') ?? ''
const findWrongFields = (form: HTMLFormElement): WrongField[] =>
  [...form.querySelectorAll<HTMLElement>('[aria-invalid=true]')].map((field) => ({ field, label: getLabel(field) }))

/**
 * Displays the number of wrong fields at the top of a long form that was refused, with a link to each field. The list becomes shorter while
 * the fields are corrected. The focus stays on the first wrong field. Reads the DOM of its form, so it works with any form state.
 */
export function ErrorSummary() {
  const { t } = useTranslation('ui')
  const container = useRef<HTMLDivElement>(null)
  const [wrongFields, setWrongFields] = useState<WrongField[]>([])
  useEffect(() => {
    const form = container.current?.closest('form')
    if (!form) return
    let isSent = false
    const update = () => {
      const currentFields = findWrongFields(form)
      setWrongFields((previous) =>
        isSent && (currentFields.length >= minListedErrors || previous.length > 0) ? currentFields : [],
      )
      return currentFields.length
    }
    const handleSubmit = () => {
      isSent = true
      // Fields that were already wrong cause no mutation, so the list is updated here.
      setTimeout(update)
    }
    const observer = new MutationObserver(() => {
      if (update() === 0) isSent = false
    })
    observer.observe(form, { subtree: true, childList: true, attributes: true, attributeFilter: ['aria-invalid'] })
    form.addEventListener('submit', handleSubmit)
    return () => {
      observer.disconnect()
      form.removeEventListener('submit', handleSubmit)
    }
  }, [])
  return (
    <div className="error-summary" role="status" ref={container}>
      {wrongFields.length > 0 && (
        <>
          <strong>{t('form.wrong', { count: wrongFields.length })}</strong>
          <ul>
            {wrongFields.map(({ field, label }) => (
              <li key={field.id}>
                <button type="button" className="button plain" onClick={() => field.focus()}>
                  {label}
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  )
}
