import '#features/orders/words.ts'
import type { CompanyFilter } from '#features/services/list/Filters.tsx'
import { CompanyPicker } from '#features/orders/wizard/fields/CompanyPicker.tsx'
import { useTranslation } from 'react-i18next'

/** Whose services: empty for everybody's. */
export const ServiceCompany: CompanyFilter = ({ company, onChoose }) => {
  const { t } = useTranslation('services')
  return (
    <CompanyPicker
      label={t('filter.company')}
      placeholder={t('filter.anyCompany')}
      company={company}
      onChoose={onChoose}
    />
  )
}
