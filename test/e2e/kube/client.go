// Package kube is as much of a Kubernetes client as the tests need: JSON over HTTPS, errors that keep
// their status, and a watch that lists again when it has to.
package kube

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// Client speaks to one API server as one user.
type Client struct {
	server, token string
	http          *http.Client
}

// New makes a client that trusts the CA certificates in PEM.
func New(server string, ca []byte, token string) *Client {
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(ca)
	return &Client{server: server, token: token, http: &http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: pool}, MaxIdleConnsPerHost: 64, IdleConnTimeout: 30 * time.Second,
	}}}
}

// Refusal is an answer of the API server that isn't a success.
type Refusal struct {
	Code    int    `json:"code"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

func (r *Refusal) Error() string { return fmt.Sprintf("%d %s: %s", r.Code, r.Reason, r.Message) }

// Refused says whether the API server answered with that status code.
func Refused(err error, code int) bool {
	var refusal *Refusal
	return errors.As(err, &refusal) && refusal.Code == code
}

const callTimeout = 30 * time.Second

func (c *Client) call(method, path, contentType string, body, into any) error {
	ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
	defer cancel()
	response, err := c.send(ctx, method, path, contentType, body)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if into == nil {
		_, err = io.Copy(io.Discard, response.Body)
		return err
	}
	return json.NewDecoder(response.Body).Decode(into)
}

// send returns a response that is a success; its body is the caller's to close.
func (c *Client) send(ctx context.Context, method, path, contentType string, body any) (*http.Response, error) {
	var text []byte
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			return nil, err
		}
	}
	request, err := http.NewRequestWithContext(ctx, method, c.server+path, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+c.token)
	request.Header.Set("Accept", "application/json")
	if body != nil {
		request.Header.Set("Content-Type", contentType)
	}
	response, err := c.http.Do(request)
	if err != nil || response.StatusCode < 300 {
		return response, err
	}
	defer response.Body.Close()
	refusal := &Refusal{Code: response.StatusCode}
	if err := json.NewDecoder(response.Body).Decode(refusal); err != nil {
		refusal.Reason = response.Status
	}
	return nil, refusal
}

// Get reads the object, or list, at path.
func (c *Client) Get(path string, into any) error {
	return c.call(http.MethodGet, path, "", nil, into)
}

// Create posts the object; into may be nil.
func (c *Client) Create(path string, object, into any) error {
	return c.call(http.MethodPost, path, "application/json", object, into)
}

// Merge patches the object at path as RFC 7396 says.
func (c *Client) Merge(path string, patch any) error {
	return c.call(http.MethodPatch, path, "application/merge-patch+json", patch, nil)
}

// MergeStatus patches a status; lists of conditions are merged by their types.
func (c *Client) MergeStatus(path string, patch any) error {
	return c.call(http.MethodPatch, path+"/status", "application/strategic-merge-patch+json", patch, nil)
}

// Apply is a server-side apply, as kubectl does it.
func (c *Client) Apply(path string, object any, dryRun bool) error {
	query := "?fieldManager=e2e"
	if dryRun {
		query += "&dryRun=All"
	}
	return c.call(http.MethodPatch, path+query, "application/apply-patch+yaml", object, nil)
}

// Delete with the pod's own grace period.
func (c *Client) Delete(path string) error { return c.call(http.MethodDelete, path, "", nil, nil) }

// DeleteNow doesn't wait for anybody; only the object with that UID is meant, if one is given.
func (c *Client) DeleteNow(path, uid string) error {
	options := map[string]any{"apiVersion": "v1", "kind": "DeleteOptions", "gracePeriodSeconds": 0}
	if uid != "" {
		options["preconditions"] = map[string]any{"uid": uid}
	}
	return c.call(http.MethodDelete, path, "application/json", options, nil)
}
