import { Icon } from '#ui/icons/Icon.tsx'

/** Shows why the list cannot be confirmed. Not styled as an error, because the list can still be saved. */
export function FaultNote({ id, children }: { id?: string; children: string }) {
  if (children === '') return null
  return (
    <span className="price-fault" id={id} title={children}>
      <Icon name="alert" size={16} />
      <span>{children}</span>
    </span>
  )
}
