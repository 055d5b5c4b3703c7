import { useTranslation } from 'react-i18next'

/**
 * Skips the repeated parts of a page, to its content. The address stays the same: the router does not count history entries that it did not
 * create, so a step back over one would go the wrong way.
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
