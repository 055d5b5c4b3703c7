/** Limits mails to addresses that a company chooses. Otherwise anybody could register and send spam. */
const dayMs = 86_400_000

/** Maximum per hour and kind: invitations, and password resets for accounts that are not activated. */
export const mailsPerHour = { newCompany: 20, knownCompany: 200 }

const newCompanyDays = 7

/** Maximum mails per hour. Times in epoch ms. The provider's company always counts as known. */
export const getMaxMailsPerHour = (company: { registeredAt: number; isProvider: boolean }, now: number): number =>
  company.isProvider || now - company.registeredAt >= newCompanyDays * dayMs
    ? mailsPerHour.knownCompany
    : mailsPerHour.newCompany
