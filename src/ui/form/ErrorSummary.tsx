import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'

/** From so many wrong fields on they are listed: fewer are in view, or one after the other. */
const many = 3

interface Wrong {
  field: HTMLElement
  label: string
}

const labelOf = (field: Element) =>
  (field as HTMLInputElement).labels?.[0]?.firstChild?.textContent ?? field.getAttribute('aria-label') ?? ''
const wrongIn = (form: HTMLFormElement): Wrong[] =>
  [...form.querySelectorAll<HTMLElement>('[aria-invalid=true]')].map((field) => ({ field, label: labelOf(field) }))

/**
 * At the top of a long form, after it was refused: how many fields are wrong, with a way to each. It shrinks as they are mended.
 * The focus stays on the first of them. It reads the form that it stands in, whoever keeps its values.
 */
export function ErrorSummary() {
  const { t } = useTranslation('ui')
  const place = useRef<HTMLDivElement>(null)
  const [wrong, setWrong] = useState<Wrong[]>([])
  useEffect(() => {
    const form = place.current?.closest('form')
    if (!form) return
    let isSent = false
    const look = () => {
      const now = wrongIn(form)
      setWrong((before) => (isSent && (now.length >= many || before.length > 0) ? now : []))
      return now.length
    }
    const send = () => {
      isSent = true
      // What was wrong before is marked already, and marked no second time.
      setTimeout(look)
    }
    const watch = new MutationObserver(() => {
      if (look() === 0) isSent = false
    })
    watch.observe(form, { subtree: true, childList: true, attributes: true, attributeFilter: ['aria-invalid'] })
    form.addEventListener('submit', send)
    return () => {
      watch.disconnect()
      form.removeEventListener('submit', send)
    }
  }, [])
  return (
    <div className="error-summary" role="status" ref={place}>
      {wrong.length > 0 && (
        <>
          <strong>{t('form.wrong', { count: wrong.length })}</strong>
          <ul>
            {wrong.map(({ field, label }) => (
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
