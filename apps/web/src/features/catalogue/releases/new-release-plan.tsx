import { Box, Checkbox, Group, MultiSelect, Radio, SimpleGrid, Stack, Switch, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { allTerritories, deliveryPlatformSlugs, deliveryPlatforms, planNames } from '@regie/contract/orders.ts';
import { DeliveryForm, type QuoteAnswer } from '@regie/contract/routes/orders.ts';
import type { Release } from '@regie/contract/routes/releases.ts';
import { routes } from '@regie/contract/routes.ts';
import { required } from '@regie/contract/zod.ts';
import { byCountryName, type Continent, continents, countryName } from '@regie/values/countries.ts';
import { formatMoney } from '@regie/values/formats.ts';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { z } from 'zod';
import { paths } from '#src/app/paths.ts';
import { frRecords } from '#src/domain/records.fr.ts';
import { api, apiQuery } from '#src/lib/api.ts';
import { flashSuccess } from '#src/lib/flash.ts';
import { Notice } from '#src/ui/alerts.tsx';
import { type FieldProps, Form, fieldProps } from '#src/ui/form.tsx';
import shared from '#src/ui/shared.module.css';
import { SmallButton } from '#src/ui/small-button.tsx';
import { frNewRelease } from './new-release.fr.ts';
import classes from './new-release.module.css';
import { WizardLink } from './new-release-link.tsx';
import { OrderLines } from './order-lines.tsx';
import { GenreField } from './release-fields.tsx';
import { splitList } from './release-labels.ts';
import { StatusField, useDeliveryConfirmation } from './release-status.tsx';
import { frReleases } from './releases.fr.ts';

const t = frNewRelease.plan;

/** A custom label requires its name; an empty one is the free digital label for the server. */
const PlanForm = z
  .object({ ...DeliveryForm.shape, hasOwnLabel: z.boolean() })
  .refine((form) => !form.hasOwnLabel || form.label !== '', { error: required, path: ['label'] });

/** By number of tracks, as the hints of the plans have it. */
const usualPlan = (tracks: number) => (tracks === 0 ? null : tracks <= 3 ? 'single' : tracks <= 6 ? 'ep' : 'album');

export function initialValues(release: Release, quote: Pick<QuoteAnswer, 'order'>) {
  const platforms = splitList(release.platforms);
  const territories = splitList(release.territories);
  const isEverywhere = territories.length === 0 || territories.includes(allTerritories);
  return {
    plan: quote.order?.plan ?? release.plan ?? usualPlan(release.tracks.length),
    // Before any choice, a release with a label name has the premium label.
    hasOwnLabel:
      release.digitalLabel !== null || (quote.order === null && release.plan === null && release.label !== ''),
    label: release.digitalLabel ?? release.label,
    genre: release.digitalGenre ?? release.genre,
    subgenre: release.digitalGenre ? release.digitalSubgenre : release.subgenre,
    platforms: platforms.length > 0 ? platforms : [...deliveryPlatformSlugs],
    isEverywhere,
    countries: isEverywhere ? [] : territories,
    expressDelivery: release.expressDelivery,
    promoCode: quote.order?.promoCode ?? '',
    status: release.status,
  };
}
type PlanValues = ReturnType<typeof initialValues>;

const toBody = ({ isEverywhere, countries, label, ...values }: PlanValues) => ({
  ...values,
  label: values.hasOwnLabel ? label : '',
  territories: isEverywhere ? [allTerritories] : countries,
});

/** The price of each option with the rest as chosen: the order's own where that is what was ordered. */
export function shownPrices(
  release: Release,
  { order, prices, currency, subscriptionUntil }: Omit<QuoteAnswer, 'quote' | 'promoError'>,
  values: Pick<PlanValues, 'plan' | 'hasOwnLabel' | 'expressDelivery' | 'promoCode'>,
) {
  const isCovered = subscriptionUntil !== null;
  const show = (
    choice: Partial<typeof values>,
    line: 'planPrice' | 'labelFees' | 'expressDeliveryPrice',
    price: number,
  ) => {
    const chosen = { ...values, ...choice };
    const isOrdered =
      chosen.plan === order?.plan &&
      chosen.hasOwnLabel === (release.digitalLabel !== null) &&
      chosen.expressDelivery === release.expressDelivery &&
      chosen.promoCode.trim().toLowerCase() === (order.promoCode ?? '').toLowerCase();
    const amount = isOrdered ? order.quote[line] : price;
    return amount === 0 && isCovered ? t.included : formatMoney(amount, currency);
  };
  return {
    plan: (plan: (typeof planNames)[number]) => show({ plan }, 'planPrice', isCovered ? 0 : prices[plan]),
    label: show({ hasOwnLabel: true }, 'labelFees', isCovered ? 0 : prices.premiumLabelFee),
    express: show({ expressDelivery: true }, 'expressDeliveryPrice', prices.expressFee),
  };
}

interface PlanStepProps {
  release: Release;
  quote: QuoteAnswer;
}

export function PlanStep({ release, quote }: PlanStepProps) {
  const navigate = useNavigate();
  return (
    <DeliveryFields
      release={release}
      quote={quote}
      submitLabel={t.submit}
      onSaved={(message) => {
        flashSuccess(message, { afterNavigation: true });
        void navigate({ to: paths.newRelease('summary'), search: { release: String(release.id) } });
      }}
      secondary={
        <WizardLink step="tracks" releaseId={release.id} variant="default">
          {frNewRelease.back}
        </WizardLink>
      }
    />
  );
}

interface DeliveryFieldsProps extends PlanStepProps {
  submitLabel: string;
  onSaved: (message: string) => void;
  secondary: ReactNode;
  hasStatus?: boolean;
  isDelivering?: boolean;
}

/** The delivery form (product §15.6); the plan is fixed once invoiced. */
export function DeliveryFields({
  release,
  quote,
  submitLabel,
  onSaved,
  secondary,
  hasStatus,
  isDelivering,
}: DeliveryFieldsProps) {
  const delivery = useDeliveryConfirmation(release, release.status);
  const isFixed = quote.order?.isInvoiced === true;
  return (
    <>
      <Form
        key={release.id}
        schema={PlanForm}
        initialValues={{ ...initialValues(release, quote), ...(isDelivering && { status: 'DELIVRED' as const }) }}
        toBody={toBody}
        confirm={(body) => delivery.confirm(body.status)}
        submit={({ hasOwnLabel: _, status, ...body }, { idempotencyKey }) =>
          api(routes.saveDelivery, {
            params: { id: release.id },
            body: { ...body, ...(hasStatus ? { status, confirmQuality: delivery.isMeant() } : {}) },
            idempotencyKey,
          })
        }
        onSuccess={({ message }) => onSaved(message)}
        submitLabel={submitLabel}
        hasSaveBar={isDelivering ? 'always' : quote.order === null ? 'new' : true}
        secondary={secondary}
      >
        {(form) => {
          const { values, errors } = form;
          const plan = planNames.find((name) => name === values.plan);
          const price = shownPrices(release, quote, values);
          return (
            <>
              {isFixed && <Notice tone="info">{quote.order?.isPaid ? t.paid : t.invoiced}</Notice>}
              {!isFixed && quote.subscriptionUntil !== null && (
                <Notice tone="note">{t.covered(quote.subscriptionUntil)}</Notice>
              )}
              <Radio.Group
                label={t.choose}
                required
                value={values.plan ?? ''}
                onChange={(name) => form.setFieldValue('plan', name)}
                error={errors.plan}
                labelProps={{ mb: 8 }}
              >
                <SimpleGrid cols={{ base: 1, xs: 2 }} spacing={10}>
                  {planNames
                    .filter((name) => !isFixed || name === values.plan)
                    .map((name) => (
                      <Radio.Card
                        key={name}
                        value={name}
                        // One Tab stop; the arrows choose.
                        tabIndex={name === (plan ?? planNames[0]) ? 0 : -1}
                        className={classes.plan}
                        aria-invalid={Boolean(errors.plan) || undefined}
                      >
                        <Radio.Indicator />
                        <Stack component="span" gap={0} flex={1} miw={0}>
                          <Box component="span" fw={600}>
                            {t.plans[name]}
                          </Box>
                          <span className={shared.note}>{t.hints[name]}</span>
                        </Stack>
                        {!isFixed && (
                          <Box component="span" fw={600} className={`${shared.nowrap} figures`}>
                            {price.plan(name)}
                          </Box>
                        )}
                      </Radio.Card>
                    ))}
                </SimpleGrid>
              </Radio.Group>

              <fieldset className={shared.fieldset}>
                <legend>{t.label}</legend>
                <Radio.Group
                  label={t.labelKind}
                  value={values.hasOwnLabel ? 'own' : 'free'}
                  onChange={(kind) => form.setFieldValue('hasOwnLabel', kind === 'own')}
                >
                  <Group gap="lg" mt={6}>
                    <Radio value="free" label={t.freeLabel} disabled={isFixed && values.hasOwnLabel} />
                    <Radio
                      value="own"
                      disabled={isFixed && !values.hasOwnLabel}
                      label={t.ownLabel(price.label.toLowerCase())}
                    />
                  </Group>
                </Radio.Group>
                <Box mt={18} className={shared.fields}>
                  {values.hasOwnLabel && (
                    <TextInput className={shared.wide} label={t.labelName} required {...form.getInputProps('label')} />
                  )}
                  <GenreField label={t.genre} required {...fieldProps(form, 'genre')} />
                  <GenreField label={t.subgenre} {...fieldProps(form, 'subgenre')} />
                </Box>
              </fieldset>

              <fieldset className={shared.fieldset}>
                <legend>{t.delivery}</legend>
                <PlatformBoxes {...fieldProps(form, 'platforms')} />
                <Territories
                  isEverywhere={values.isEverywhere}
                  countries={values.countries}
                  onChange={(change) => {
                    form.setValues(change);
                    form.clearFieldError('territories');
                  }}
                  error={errors.territories}
                />
                <Switch
                  mt={18}
                  label={t.express(price.express)}
                  description={t.expressHint}
                  disabled={isFixed}
                  checked={values.expressDelivery}
                  onChange={(event) => form.setFieldValue('expressDelivery', event.currentTarget.checked)}
                />
              </fieldset>

              {hasStatus && (
                <fieldset className={shared.fieldset}>
                  <legend>{frReleases.form.state}</legend>
                  <StatusField
                    present={release.status}
                    value={values.status}
                    onChange={(status) => status && form.setFieldValue('status', status as PlanValues['status'])}
                    error={errors.status}
                  />
                </fieldset>
              )}

              {isFixed && quote.order && plan ? (
                <fieldset className={shared.fieldset}>
                  <legend>{t.price}</legend>
                  <OrderLines quote={quote.order.quote} plan={plan} promoCode={quote.order.promoCode} />
                </fieldset>
              ) : (
                <LivePrice
                  releaseId={release.id}
                  order={quote.order}
                  plan={plan}
                  values={values}
                  currency={quote.currency}
                >
                  {(verdict, isRefused) => (
                    <TextInput
                      label={t.promo}
                      autoCapitalize="characters"
                      {...form.getInputProps('promoCode')}
                      error={errors.promoCode ?? (isRefused ? verdict : undefined)}
                      description={isRefused ? undefined : verdict}
                    />
                  )}
                </LivePrice>
              )}
            </>
          );
        }}
      </Form>
      {delivery.question}
    </>
  );
}

function PlatformBoxes({ value, onChange, error }: FieldProps<string[]>) {
  const isAll = value.length === deliveryPlatformSlugs.length;
  return (
    <Checkbox.Group label={t.platforms} required value={value} onChange={onChange} error={error} labelProps={{ mb: 8 }}>
      <SimpleGrid minColWidth="160px" spacing={16} verticalSpacing={12}>
        {deliveryPlatformSlugs.map((slug) => (
          <Checkbox
            key={slug}
            value={slug}
            label={deliveryPlatforms[slug]}
            aria-invalid={Boolean(error) || undefined}
          />
        ))}
      </SimpleGrid>
      <SmallButton mt={12} onClick={() => onChange(isAll ? [] : [...deliveryPlatformSlugs])}>
        {isAll ? t.noPlatforms : t.allPlatforms}
      </SmallButton>
    </Checkbox.Group>
  );
}

const continentNames = Object.keys(frRecords.continents) as Continent[];
const countryGroups = continentNames.map((name) => ({
  group: frRecords.continents[name],
  items: byCountryName(continents[name]).map((code) => ({ value: code, label: countryName(code) })),
}));

interface TerritoriesProps {
  isEverywhere: boolean;
  countries: string[];
  onChange: (change: { isEverywhere?: boolean; countries?: string[] }) => void;
  error: ReactNode;
}

function Territories({ isEverywhere, countries, onChange, error }: TerritoriesProps) {
  const add = (codes: readonly string[]) =>
    onChange({ countries: byCountryName([...new Set([...countries, ...codes])]) });
  return (
    <Box mt={18}>
      <Radio.Group
        label={t.territories}
        required
        value={isEverywhere ? 'world' : 'some'}
        onChange={(kind) => onChange({ isEverywhere: kind === 'world' })}
        labelProps={{ mb: 8 }}
      >
        <Group gap="lg" mt={6}>
          <Radio value="world" label={t.world} />
          <Radio value="some" label={t.someCountries} />
        </Group>
      </Radio.Group>
      {!isEverywhere && (
        <Box mt={18}>
          <MultiSelect
            label={t.countries}
            placeholder={countries.length === 0 ? t.countriesPlaceholder : undefined}
            data={countryGroups}
            value={countries}
            onChange={(codes) => onChange({ countries: codes })}
            searchable
            clearable
            clearButtonProps={{ 'aria-label': t.clearCountries }}
            hidePickedOptions
            nothingFoundMessage={t.noCountry}
            maxDropdownHeight={320}
            error={error}
          />
          <Group gap={6} mt={8}>
            {continentNames.map((name) => (
              <SmallButton
                key={name}
                aria-label={t.addContinent(frRecords.continents[name])}
                onClick={() => add(continents[name])}
              >
                + {frRecords.continents[name]}
              </SmallButton>
            ))}
          </Group>
        </Box>
      )}
    </Box>
  );
}

const typingMs = 350;

interface LivePriceProps {
  releaseId: number;
  /** The pending order: it keeps its price until the plan changes. */
  order: QuoteAnswer['order'];
  plan: (typeof planNames)[number] | undefined;
  values: PlanValues;
  currency: string;
  children: (verdict: string | undefined, isRefused: boolean) => ReactNode;
}

function LivePrice({ releaseId, order, plan, values, currency, children }: LivePriceProps) {
  const [promoCode] = useDebouncedValue(values.promoCode.trim(), typingMs);
  const query = {
    ...(plan === undefined ? {} : { plan }),
    // Every label name has the same price: typing it does not reload the quote.
    label: values.hasOwnLabel ? 'x' : '',
    expressDelivery: values.expressDelivery ? ('true' as const) : ('false' as const),
    promoCode,
  };
  const live = useQuery({
    ...apiQuery(['release', releaseId, 'quote', query], routes.quoteDelivery, { params: { id: releaseId }, query }),
    placeholderData: keepPreviousData,
  });
  const isCurrent = !live.isPlaceholderData && promoCode === values.promoCode.trim();
  const quote = live.data?.quote;
  const refusal = isCurrent ? (live.data?.promoError ?? undefined) : undefined;
  const discount =
    isCurrent && promoCode !== '' && quote && quote.discount > 0
      ? t.promoGood(formatMoney(quote.discount, currency))
      : undefined;
  return (
    <fieldset className={shared.fieldset}>
      <legend>{t.price}</legend>
      {order && quote && quote.total !== order.quote.total && (
        <Notice tone="note">
          {t.repriced(order.id, formatMoney(order.quote.total, currency), formatMoney(quote.total, currency))}
        </Notice>
      )}
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing={24} verticalSpacing={16}>
        {children(refusal ?? discount, refusal !== undefined)}
        <Box
          p="14px 16px"
          bd="1px solid var(--line)"
          bdrs={8}
          bg="var(--surface-2)"
          aria-live="polite"
          aria-busy={live.isFetching || undefined}
        >
          {plan && quote ? (
            <OrderLines quote={quote} plan={plan} promoCode={promoCode === '' ? null : promoCode.toUpperCase()} />
          ) : (
            <p className={shared.note}>{t.noPlanYet}</p>
          )}
          {order && quote?.total === order.quote.total && <p className={shared.note}>{t.keptPrice(order.id)}</p>}
        </Box>
      </SimpleGrid>
    </fieldset>
  );
}
