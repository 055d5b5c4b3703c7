import { useTranslation } from 'react-i18next'

/**
 * Moves the focus to the page's content, past header and navigation. The address does not change: the router does not count history entries
 * that it did not create, so Back would lead to a wrong page.
 */
export function SkipLink() {
  const { t } = useTranslation('shell')
  return (
    <a
      className="skip"
      href="#main"
      onClick={(event) => {
        event.preventDefault()
        document.getElementById('main')?.focus()
      }}
    >
      {t('skip')}
    </a>
  )
}
