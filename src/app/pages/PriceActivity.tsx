import { createOptionalPart } from '#app/pages/create-optional-part.tsx'
import { useSignedInSession } from '#state/use-store.ts'

/** The latest changes of one price list, by its effective date, or of all price lists. Shows who changed a price, from what, to what. */
export const PriceActivity = createOptionalPart<{ day?: string; refreshKey: unknown }>(async () => {
  const { RecentEntries } = await import(/* chunk: trail */ '#features/audit-trail/entry/RecentEntries.tsx')
  return ({ day, refreshKey }) => {
    const { caller } = useSignedInSession()
    return (
      <RecentEntries
        code="price"
        {...(day === undefined ? {} : { name: day })}
        companyId={caller.companyId}
        access="deleteLevel"
        refreshKey={refreshKey}
      />
    )
  }
})
