/** Price lists: what applies from a day on, for one client type. */

/** A list that waits on this device, as it will look; what its form does not name is empty. */
export const listedHere = <F extends { type: string; effective_date: string; desc: string }>(
  fields: F,
  named: { intent: string },
) => ({
  uat_charge: '0.00',
  uat_cap_hkd: '0.00',
  uat_cap_usd: '0.00',
  uat_cap_rmb: '0.00',
  min_concurrent_user: 0,
  min_named_user: 0,
  min_fee_hkd: '0.00',
  min_fee_usd: '0.00',
  min_fee_rmb: '0.00',
  ...fields,
  confirmed: false,
  id: `~${named.intent}` as const,
  update_time: '',
  update_user_name: '',
  row_version: 0,
})
