import type { ReactNode } from 'react'
import type { PageCrumb } from '#ui/page/Page.tsx'

/** Makes a list page a tab of the page of one company: the heading, the parent pages, and the tabs above the list. */
export interface CompanyFrame {
  companyId: number
  companyCode: string
  title: string
  crumbs: PageCrumb[]
  tabs: ReactNode
}
