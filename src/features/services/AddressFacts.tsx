import type { ServiceRow } from '#contract/services.ts'
import { DescriptionItem, DescriptionList } from '#ui/display/DescriptionList.tsx'
import { WebAddress } from '#ui/display/WebAddress.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { useTranslation } from 'react-i18next'

type ServiceAddresses = Pick<ServiceRow, 'code' | 'url' | 'admin_url'>

export function AddressFacts({ row: { url, admin_url: adminUrl } }: { row: ServiceAddresses }) {
  const { t } = useTranslation('services')
  return (
    <DescriptionList>
      <DescriptionItem label={t('panel.url')}>
        <WebAddress to={url} emptyText={t('panel.noAddress')} />
      </DescriptionItem>
      <DescriptionItem label={t('panel.admin')}>
        <WebAddress to={adminUrl} emptyText={t('panel.noAddress')} />
      </DescriptionItem>
    </DescriptionList>
  )
}

/** Dialog with the addresses of a service, opened by the row's info button (M111). */
export function AddressDialog({ row, onClose }: { row: ServiceAddresses; onClose: () => void }) {
  const { t } = useTranslation('services')
  return (
    <Dialog open title={t('info.title', { code: row.code })} onClose={onClose}>
      <AddressFacts row={row} />
    </Dialog>
  )
}
