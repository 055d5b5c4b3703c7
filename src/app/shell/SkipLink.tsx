import { useTranslation } from 'react-i18next'

/**
 * Past what stands on every page, to its content. The address stays: an entry of the history that the router did not make
 * has no place in its count, and a step back over it would go the wrong way.
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
