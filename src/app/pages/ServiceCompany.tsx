import '#features/orders/words.ts'
import type { ServiceCompanyFilter } from '#features/services/list/ServiceListPage.tsx'
import { CompanyPicker } from '#features/orders/wizard/fields/CompanyPicker.tsx'
import { useTranslation } from 'react-i18next'

/** Filters services by company. Empty means all companies. */
export const ServiceCompany: ServiceCompanyFilter = ({ companyId, onChoose }) => {
  const { t } = useTranslation('services')
  return (
    <CompanyPicker
      label={t('filter.company')}
      placeholder={t('filter.anyCompany')}
      noneLabel={t('filter.anyCompany')}
      companyId={companyId}
      onChoose={onChoose}
    />
  )
}
