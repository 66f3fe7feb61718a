package bed

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strings"

	"shikiri.dev/e2e/oracle"
)

// Equivalents is the unit of whole cards.
const Equivalents = oracle.Equivalents

// Limit is a tenant's quota in one unit, as its document says it.
type Limit struct {
	Guaranteed string `json:"guaranteed,omitempty"`
	Ceiling    string `json:"ceiling,omitempty"`
	Lendable   string `json:"lendable,omitempty"`
}

// Tenant has the namespace of its own name. Of this both shikiri's documents and the oracles are made.
type Tenant struct {
	Name      string
	Domain    string // of trust; empty: one of its own
	Isolation string // mig, card or node; empty: mig
	Quota     map[string]Limit
}

func (t Tenant) document() map[string]any {
	spec := map[string]any{"namespaces": []string{t.Name}}
	if t.Domain != "" {
		spec["trustDomain"] = t.Domain
	}
	if t.Isolation != "" {
		spec["isolation"] = t.Isolation
	}
	if t.Quota != nil {
		spec["quota"] = t.Quota
	}
	return document("Tenant", t.Name, spec)
}

func document(kind, name string, spec map[string]any) map[string]any {
	return map[string]any{"apiVersion": "shikiri.dev/v1", "kind": kind, "metadata": map[string]any{"name": name}, "spec": spec}
}

// Documents are the tenants, and the trust domains they name, as --apply takes them: a YAML stream.
func Documents(tenants []Tenant) string {
	var stream strings.Builder
	domains := map[string]bool{}
	add := func(document map[string]any) {
		text, err := json.Marshal(document)
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(&stream, "---\n%s\n", text)
	}
	for _, tenant := range tenants {
		if tenant.Domain != "" && !domains[tenant.Domain] {
			domains[tenant.Domain] = true
			add(document("TrustDomain", tenant.Domain, map[string]any{"isolation": "mig"}))
		}
		add(tenant.document())
	}
	return stream.String()
}

var walls = map[string]oracle.Wall{"": oracle.WallMIG, "mig": oracle.WallMIG, "card": oracle.WallCard, "node": oracle.WallNode}

func (t Tenant) party() oracle.Party {
	domain := t.Domain
	if domain == "" {
		domain = t.Name
	}
	return oracle.Party{Domain: domain, Wall: walls[t.Isolation]}
}

// ceilings are the limits that no use may pass: a guarantee without a ceiling is one.
func (t Tenant) ceilings() oracle.Ceilings {
	found := oracle.Ceilings{}
	for unit, limit := range t.Quota {
		text := limit.Ceiling
		if text == "" {
			text = limit.Guaranteed
		}
		if ceiling, isNumber := new(big.Rat).SetString(text); isNumber {
			found[unit] = ceiling
		}
	}
	return found
}
