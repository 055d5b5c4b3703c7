import '#features/orders/words.ts'
import type { CompanyFilter } from '#features/audit-trail/list/Filters.tsx'
import { CompanyPicker } from '#features/orders/wizard/fields/CompanyPicker.tsx'
import { useSignedIn } from '#state/hooks.ts'
import { useTranslation } from 'react-i18next'

/** Whose trail: empty for the own company's. */
export const TrailCompany: CompanyFilter = ({ company, onChoose }) => {
  const { t } = useTranslation('audit')
  const { user } = useSignedIn()
  return (
    <CompanyPicker
      label={t('filter.company')}
      placeholder={user.company_name}
      company={company}
      onChoose={(id) => onChoose(id === user.company_id ? null : id)}
    />
  )
}
