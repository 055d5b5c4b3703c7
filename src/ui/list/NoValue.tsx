import { useTranslation } from 'react-i18next'

export function NoValue() {
  const { t } = useTranslation('ui')
  return (
    <span className="no-value">
      <span aria-hidden="true">–</span>
      <span className="sr-only">{t('list.none')}</span>
    </span>
  )
}
